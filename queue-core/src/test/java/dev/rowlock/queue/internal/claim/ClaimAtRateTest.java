package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One job an hour, so that the time that a test takes is nothing. */
@PostgresTest(migrated = true)
@Representative
class ClaimAtRateTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Rooms rooms;
    private final ClaimKeyedJobs claim;
    private final long node;

    ClaimAtRateTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        claim = new ClaimKeyedJobs(rooms.database(), Duration.ZERO);
        node = rooms.node();
    }

    @Test
    void aKeyGetsItsBurstAndThenWaits() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        enqueue("b", 1);

        assertThat(keys(run())).containsExactly("a", "a", "a", "b");
        KeyedBatch next = run();

        assertThat(keys(next)).isEmpty();
        assertThat(next.untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
    }

    @Test
    void oneMoreBeginsWhenItsTimeHasCome() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        run();

        pass(HOUR);

        assertThat(keys(run())).containsExactly("a");
        assertThat(keys(run())).isEmpty();
    }

    @Test
    void whatIsNotUsedIsLostBeyondTheBurst() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        run();

        pass(HOUR.multipliedBy(50));

        assertThat(keys(run())).hasSize(3);
        assertThat(keys(run())).isEmpty();
    }

    @Test
    void aQueuesRateCountsJobsWithAndWithoutKeys() {
        limit(QueueLimit.of(QUEUE).rate(hourly(4)));
        enqueue("a", 2);
        rooms.ready(5);

        assertThat(keys(run()).size() + keys(run()).size()).isEqualTo(4);
        assertThat(keys(run())).isEmpty();
        assertThat(run().untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        assertThat(new ClaimReadyJobs(rooms.database())
                        .run(QUEUE, QueueRange.ALL, 10, node, null)
                        .jobs())
                .isEmpty();
    }

    @Test
    void bothRatesHold() {
        limit(QueueLimit.of(QUEUE).rate(hourly(4)).ratePerKey(hourly(1)));
        IntStream.range(0, 10).forEach(key -> enqueue("k" + key, 2));

        assertThat(keys(run())).containsExactly("k0", "k1", "k2", "k3");
        pass(HOUR);
        assertThat(keys(run())).hasSize(1);
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

        assertThat(keys(run())).containsExactly("a");
        assertThat(keys(run())).as("the queue is full").isEmpty();
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run())).as("its rate had room all the time").containsExactly("b");
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run())).containsExactly("c");
        rooms.execute("DELETE FROM rowlock.running");
        assertThat(keys(run())).as("the rate of its key is used up").isEmpty();
        assertThat(rooms.count("running"))
                .as("whoever waits for a rate has no place")
                .isZero();
        enqueue("d", 1);
        assertThat(keys(run())).as("the queue's fourth").containsExactly("d");
    }

    @Test
    void whoWaitsForTheQueuesRateOnlyDoesNotWaitForThatOfAnotherKey() {
        limit(QueueLimit.of(QUEUE).rate(hourly(1)).ratePerKey(Rate.of(1, HOUR.multipliedBy(10))));
        enqueue("a", 2);
        assertThat(keys(run())).containsExactly("a");
        enqueue("b", 1);

        assertThat(run().untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        pass(HOUR);
        assertThat(keys(run())).containsExactly("b");
        assertThat(run().untilRate()).isBetween(HOUR.minus(MINUTE), HOUR);
        pass(HOUR);
        assertThat(run().untilRate()).isBetween(HOUR.multipliedBy(8).minus(MINUTE), HOUR.multipliedBy(8));
    }

    @Test
    void aRateThatIsRaisedHoldsAtOnce() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(1)));
        enqueue("a", 100);
        run();

        limit(QueueLimit.of(QUEUE).ratePerKey(new Rate(1_000_000, Duration.ofSeconds(1), 50)));

        assertThat(keys(run())).isNotEmpty();
    }

    @Test
    void aClockThatIsSetBackHoldsUpNobodyForLong() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(3)));
        enqueue("a", 10);
        run();

        pass(HOUR.multipliedBy(-1_000));

        assertThat(keys(run())).hasSize(3);
        assertThat(keys(run())).isEmpty();
    }

    @Test
    void statesThatSayNothingAnyMoreAreRemoved() {
        limit(QueueLimit.of(QUEUE).ratePerKey(hourly(2)));
        enqueue("a", 10);
        enqueue("b", 1);
        assertThat(claim.run(QUEUE, Look.FIRST, 3, 0, Which.ALL, node, null)
                        .batch()
                        .jobs())
                .hasSize(2);
        run();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.rate_state")).isEqualTo(3);
        Leftovers remove = new Leftovers(rooms.database());

        assertThat(remove.spentRates()).isEqualTo(1);
        assertThat(keys(run())).isEmpty();
        pass(HOUR.multipliedBy(3));

        assertThat(remove.spentRates()).isEqualTo(2);
    }

    private void pass(Duration time) {
        rooms.execute("UPDATE rowlock.rate_state SET next_at = next_at - " + time.toSeconds());
    }

    private static Rate hourly(int burst) {
        return Rate.perHour(1).burst(burst);
    }

    private void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(QUEUE));
    }

    private KeyedBatch run() {
        return claim.run(QUEUE, Look.FIRST, 10, 0, Which.ALL, node, null);
    }

    private static List<String> keys(KeyedBatch batch) {
        return batch.batch().jobs().stream()
                .map(job -> job.key() == null ? "" : job.key())
                .sorted()
                .toList();
    }

    private void enqueue(String key, int jobs) {
        rooms.large(IntStream.range(0, jobs)
                .mapToObj(i -> new NewJob(QUEUE, "send", 0, null, null, null, "{}", null, key, null))
                .toList());
    }
}
