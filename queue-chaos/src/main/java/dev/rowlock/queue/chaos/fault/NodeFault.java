package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.time.Duration;
import java.util.Random;

/** Something that happens to a process. */
enum NodeFault implements Fault {
    KILL_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.kill(arena.busiest(worker));
            if (random.nextBoolean()) {
                last(PAST_LEASE); // otherwise its successor is there before anybody noticed
            }
        }
    },
    FREEZE_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            Worker busy = arena.busiest(worker);
            busy.freeze();
            last(PAST_LEASE);
            busy.thaw();
        }
    },
    TERMINATE_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.terminate();
            worker.awaitExit(Duration.ofSeconds(20));
        }
    };
}
