package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One job an hour, so that the time that a test takes is nothing. */
@Representative
class ClaimAtRateTest extends KeyedQueue {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    ClaimAtRateTest(TestDatabase database) {
        super(database);
    }

    @Test
    void aKeyGetsItsBurstThenOneAtATimeAndAfterAPauseItsBurstAgain() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        enqueue("b", 1);

        assertThat(keys(run(10))).containsExactly("a", "a", "a", "b");
        KeyedBatch next = run(10);

        assertThat(keys(next)).isEmpty();
        assertThat(next.untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        pass(HOUR);
        assertThat(keys(run(10))).containsExactly("a");
        assertThat(keys(run(10))).isEmpty();
        pass(HOUR.multipliedBy(50));
        assertThat(keys(run(10))).as("what is not used is lost").hasSize(3);
        assertThat(keys(run(10))).isEmpty();
    }

    @Test
    void aQueuesRateCountsJobsWithAndWithoutKeys() {
        limit(QueueLimit.of(QUEUE).rate(hourly(4)));
        enqueue("a", 2);
        rooms.ready(5);

        assertThat(keys(run(10)).size() + keys(run(10)).size()).isEqualTo(4);
        assertThat(keys(run(10))).isEmpty();
        assertThat(run(10).untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        assertThat(new ClaimReadyJobs(rooms.database())
                        .run(QUEUE, QueueRange.ALL, 10, node, null)
                        .jobs())
                .isEmpty();
    }

    @Test
    void bothRatesHold() {
        limit(QueueLimit.of(QUEUE).rate(hourly(4)).ratePerKey(hourly(1)));
        IntStream.range(0, 10).forEach(key -> enqueue("k" + key, 2));

        assertThat(keys(run(10))).containsExactly("k0", "k1", "k2", "k3");
        pass(HOUR);
        assertThat(keys(run(10))).hasSize(1);
    }

    @Test
    void aJobThatOneRuleRefusesUsesUpNothingOfTheOthers() {
        limit(QueueLimit.of(QUEUE)
                .maxRunning(1)
                .maxRunningPerKey(1)
                .rate(hourly(4))
                .ratePerKey(hourly(1)));
        enqueue("a", 3);
        enqueue("b", 1);
        enqueue("c", 1);

        assertThat(keys(run(10))).containsExactly("a");
        assertThat(keys(run(10))).as("the queue is full").isEmpty();
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run(10))).as("its rate had room all the time").containsExactly("b");
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run(10))).containsExactly("c");
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run(10))).as("the rate of its key is used up").isEmpty();
        assertThat(rooms.count("running"))
                .as("whoever waits for a rate has no place")
                .isZero();
        enqueue("d", 1);
        assertThat(keys(run(10))).as("the queue's fourth").containsExactly("d");
    }

    @Test
    void whoWaitsForTheQueuesRateOnlyDoesNotWaitForThatOfAnotherKey() {
        limit(QueueLimit.of(QUEUE).rate(hourly(1)).ratePerKey(Rate.of(1, HOUR.multipliedBy(10))));
        enqueue("a", 2);
        assertThat(keys(run(10))).containsExactly("a");
        enqueue("b", 1);

        assertThat(run(10).untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        pass(HOUR);
        assertThat(keys(run(10))).containsExactly("b");
        assertThat(run(10).untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        pass(HOUR);
        assertThat(run(10).untilRate()).isBetween(HOUR.multipliedBy(8).minus(MINUTE), HOUR.multipliedBy(8));
    }

    @Test
    void aClockThatIsSetBackHoldsUpNobodyForLong() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        run(10);

        pass(HOUR.multipliedBy(-1_000));

        assertThat(keys(run(10))).hasSize(3);
        assertThat(keys(run(10))).isEmpty();
    }

    @Test
    void statesThatSayNothingAnyMoreAreRemoved() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(2)));
        enqueue("a", 10);
        enqueue("b", 1);
        assertThat(run(3).batch().jobs()).hasSize(2);
        run(10);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.rate_state")).isEqualTo(3);
        Leftovers remove = new Leftovers(rooms.database());

        assertThat(remove.spentRates()).isEqualTo(1);
        assertThat(keys(run(10))).isEmpty();
        pass(HOUR.multipliedBy(3));

        assertThat(remove.spentRates()).isEqualTo(2);
    }

    private void pass(Duration time) {
        rooms.execute("UPDATE rowlock.rate_state SET next_at = next_at - " + time.toSeconds());
    }

    private static Rate hourly(int burst) {
        return Rate.perHour(1).burst(burst);
    }
}
