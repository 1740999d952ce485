package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.proxy.Cut;
import java.time.Duration;
import java.util.Random;

/** Something that happens to the connections of one node. */
enum NetworkFault implements Fault {
    POOL_STALLS {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().stall();
            last(PAST_LEASE);
            worker.pool().heal();
        }
    },
    LEASE_STALLS {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.direct().stall();
            last(PAST_LEASE);
            worker.direct().heal();
        }
    },
    NETWORK_SLOW {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().delay(Duration.ofMillis(20 + random.nextInt(200)));
            worker.direct().delay(Duration.ofMillis(20 + random.nextInt(200)));
            last(Duration.ofSeconds(3));
            worker.pool().heal();
            worker.direct().heal();
        }
    },
    NETWORK_CUT {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().refuse();
            worker.direct().refuse();
            worker.pool().reset();
            worker.direct().reset();
            last(PAST_LEASE);
            worker.pool().heal();
            worker.direct().heal();
        }
    },
    CONNECTIONS_RESET {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            for (int i = 0; i < 5; i++) {
                worker.pool().reset();
                worker.direct().reset();
                last(Duration.ofMillis(random.nextInt(300)));
            }
        }
    },
    ANSWERS_LOST {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            // The text of a statement travels only until the driver has prepared it: begin with fresh connections.
            worker.pool()
                    .cut(text -> random.nextInt(4) == 0 && text.contains("FROM \"rowlock\".")
                            ? Cut.Verdict.BREAK_BEFORE_ANSWER
                            : Cut.Verdict.PASS);
            for (int i = 0; i < 5; i++) {
                worker.pool().reset();
                last(Duration.ofMillis(600));
            }
            worker.pool().heal();
        }
    },
    HALF_OPEN {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().halfOpen();
            worker.direct().halfOpen();
        }
    };

    /** Longer than a pool takes to find that nobody is there any more. */
    private static final Duration UNTIL_NOTICED = Duration.ofSeconds(40);

    @Override
    public String place(Worker worker) {
        return worker.place();
    }

    @Override
    public Duration settles() {
        return this == HALF_OPEN ? UNTIL_NOTICED : Fault.super.settles();
    }
}
