package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that wait longer for their limits than a queue is looked at for keys after there was one, on a node that polls each ten minutes. */
@PostgresTest(migrated = true)
class LateKeysTest {

    private final ClaimingNode node;
    private final Rooms rooms;
    private final Claimer claimer;

    LateKeysTest(TestDatabase database) {
        node = new ClaimingNode(database);
        rooms = node.rooms();
        claimer = node.claimerThatKeepsKeys(Duration.ZERO);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aClaimerThatIsWokenMeanwhileStillLooksWhenTheRateOfAKeyAllowsItsNextJob() {
        limit(QueueLimit.of(Rooms.QUEUE).ratePerKey(Rate.valueOf("1/5min")));
        ready(2);
        claimUntilRest();
        assertThat(rooms.count("running")).isOne();

        AtomicReference<Duration> rest = new AtomicReference<>(Duration.ZERO);
        await().until(() -> rest.updateAndGet(any -> claimer.claim()).compareTo(Duration.ofMinutes(1)) > 0);
        assertThat(rest.get()).isLessThanOrEqualTo(Duration.ofMinutes(5));
        assertThat(claimer.idleFor(Duration.ZERO)).isFalse();
    }

    @Test
    void aFetcherFindsTheNextJobOfAKeyWhenItsRateAllowsIt() {
        limit(QueueLimit.of(Rooms.QUEUE).ratePerKey(Rate.valueOf("1/200ms")));
        ready(3);
        assertThatAFetcherFindsThemAll();
    }

    @Test
    void aFetcherFindsTheNextJobOfAQueueWhenItsRateAllowsIt() {
        limit(QueueLimit.of(Rooms.QUEUE).rate(Rate.valueOf("1/200ms")));
        rooms.ready(3);
        assertThatAFetcherFindsThemAll();
    }

    @Test
    void theEndOfAJobMakesRoomForTheNextOneOfItsKeyHoweverLongItRan() {
        limit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(1));
        ready(2);
        claimUntilRest();
        assertThat(rooms.count("running")).isOne();

        rooms.execute("DELETE FROM rowlock.running");
        assertThat(claimer.keyed().countedJobEnded("a")).isTrue();
        claimUntilRest();

        assertThat(rooms.count("running")).isOne();
        assertThat(rooms.count("ready")).isZero();
    }

    /** One that rests as soon as it may. */
    private void assertThatAFetcherFindsThemAll() {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Duration.ZERO);
        Fetchers fetchers = new Fetchers(
                List.of(fetcher),
                new FindReadyQueues(rooms.database()),
                node.view(),
                ClaimingNode.FETCH.pollInterval());
        fetchers.start();
        try {
            await().until(() -> rooms.count("running") == 3);
        } finally {
            fetchers.stop(new UnansweredClaims(), Duration.ZERO);
        }
    }

    private void claimUntilRest() {
        await().until(() -> !claimer.claim().isZero());
    }

    private void ready(int jobs) {
        rooms.ready(jobs);
        rooms.execute("UPDATE rowlock.ready SET job_key = 'a'");
        claimer.keyed().heard();
    }

    private void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(Rooms.QUEUE));
    }
}
