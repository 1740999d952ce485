package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.time.Duration;
import java.util.Random;

/** Something that happens to the server's clock, as by an operator, a time service, or the clock of another server. */
enum ClockFault implements Fault {
    CLOCK_FORWARD {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().stepClock(step(random));
            last(PAST_LEASE);
        }
    },
    /** What is due by the clock of before waits as long as the step was, if need be. */
    CLOCK_BACK {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().stepClock(step(random).negated());
            last(PAST_LEASE);
        }
    },
    /** Back while somebody dies, whose jobs must not wait for the clock. */
    CLOCK_BACK_AT_A_DEATH {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().stepClock(step(random).negated());
            arena.kill(arena.busiest(worker));
            last(PAST_LEASE);
        }

        @Override
        public boolean silences() {
            return true;
        }
    },
    /** Nobody was there for longer than anything was prepared ahead. */
    WEEK_AWAY {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.workers().stream().filter(Worker::alive).forEach(Worker::terminate);
            arena.workers().stream().filter(Worker::alive).forEach(other -> other.awaitExit(Duration.ofSeconds(20)));
            arena.database().stepClock(Duration.ofDays(9));
        }

        @Override
        public boolean silences() {
            return true;
        }
    };

    @Override
    public boolean silences() {
        return false;
    }

    private static Duration step(Random random) {
        return Duration.ofSeconds(random.nextBoolean() ? 3_600 : 5 + random.nextInt(300));
    }
}
