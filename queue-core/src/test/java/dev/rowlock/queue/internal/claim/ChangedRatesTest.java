package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rates and bursts that are changed at any moment, under a backlog. Hours pass by moving the state of the rate back, so that the time that a test takes is
 * nothing.
 */
class ChangedRatesTest extends KeyedQueue {

    /** The time that the test takes itself, as a part of the shortest time between two jobs. */
    private static final double SLACK = 0.1;

    /** The generic cell rate algorithm. */
    private static final class Model {

        private final Rate rate;
        private final double apart; // hours
        private final double slack;
        private double next;
        private long begun;

        /** @param next where its next job may begin, leaving the burst aside */
        Model(Rate rate, double next, double slack) {
            this.rate = rate;
            this.apart = (double) rate.per().toMinutes() / 60 / rate.jobs();
            this.next = next;
            this.slack = slack;
        }

        /** Begins as many jobs as it may. Returns how many have begun. */
        long begin(double now) {
            long jobs = (long) Math.floor(Math.min(rate.burst(), (now - next) / apart + rate.burst()) + slack);
            if (jobs > 0) {
                next = Math.max(now, next) + jobs * apart;
                begun += jobs;
            }
            return begun;
        }
    }

    ChangedRatesTest(TestDatabase database) {
        super(database);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void fromAChangeOnJobsBeginNoFasterThanANewRateAllowsAndNoSlowerThanAnOldOneExplains(int seed) {
        Random random = new Random(seed);
        boolean ofKey = random.nextBoolean();
        double now = 0;
        for (int change = 0; change < 12; change++) {
            Rate rate = anyRate(random);
            limit(
                    ofKey
                            ? QueueLimit.of(QUEUE).ratePerKey(rate)
                            : QueueLimit.of(QUEUE).rate(rate));
            Model fastest = new Model(rate, now, SLACK); // as if nothing had begun before
            Model slowest = new Model(rate, now + nextIn(), -SLACK); // as if the rate had been this one all the time
            long begun = 0;
            for (int look = random.nextInt(1, 8); look > 0; look--) {
                begun += claimAll(ofKey, random.nextInt(4) == 0 ? random.nextInt(1, 4) : Integer.MAX_VALUE);
                assertThat(begun)
                        .as("seed %d, change %d to %s, after %.1f h", seed, change, rate, now)
                        .isLessThanOrEqualTo(fastest.begin(now));
                begun += claimAll(ofKey, Integer.MAX_VALUE);
                assertThat(begun)
                        .as("seed %d, change %d to %s, after %.1f h", seed, change, rate, now)
                        .isBetween(slowest.begin(now), fastest.begin(now));
                Duration time = Duration.ofMinutes(random.nextInt(5) == 0 ? 3_000 : random.nextInt(5, 300));
                pass(time);
                now += time.toMinutes() / 60.0;
            }
        }
    }

    /** At least two minutes between two jobs: the test itself takes much less than {@link #SLACK} of that. */
    private static Rate anyRate(Random random) {
        return new Rate(random.nextInt(1, 31), Duration.ofHours(random.nextInt(1, 5)), random.nextInt(1, 16));
    }

    private long claimAll(boolean ofKey, int most) {
        long missing = 40 - rooms.count("ready");
        if (missing > 0) {
            rooms.large(Collections.nCopies((int) missing, job(ofKey ? "a" : null, 0)));
        }
        long begun = 0;
        int some;
        do {
            some = run(Math.min(5, most)).batch().jobs().size();
            begun += some;
        } while (some > 0 && begun < most);
        rooms.execute("DELETE FROM rowlock.running");
        return begun;
    }

    /** In how many hours the next job may begin by the last rate, leaving the burst aside. */
    private double nextIn() {
        return rooms.sql("""
                        SELECT coalesce((SELECT greatest(0, next_at - extract(epoch FROM clock_timestamp())) / 3600
                                           FROM rowlock.rate_state ORDER BY number DESC LIMIT 1), 0)""").query(Double.class).single();
    }

    private void pass(Duration time) {
        rooms.execute("UPDATE rowlock.rate_state SET next_at = next_at - " + time.toSeconds());
    }
}
