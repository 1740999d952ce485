package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static dev.rowlock.queue.internal.db.Rooms.ids;
import static dev.rowlock.queue.internal.db.Rooms.part;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several nodes that claim from one queue. */
@PostgresTest(migrated = true)
@Representative
class ClaimingTogetherTest {

    private final Rooms rooms;
    private final ClaimReadyJobs claim;

    ClaimingTogetherTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        claim = new ClaimReadyJobs(rooms.database());
    }

    // Side by side

    @Test
    void theLimitIsExactWhileAnotherClaimIsUnderWay() throws Exception {
        long[] ids = rooms.ready(30);
        long node = rooms.node();

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Batch theirs = new ClaimReadyJobs(other.database()).run(QUEUE, QueueRange.ALL, 10, node, null);
            Batch ours = claim.run(QUEUE, QueueRange.ALL, 10, node, null);
            other.commit();

            assertThat(ids(theirs.jobs())).containsExactlyElementsOf(part(ids, 0, 10));
            assertThat(ids(ours.jobs())).containsExactlyElementsOf(part(ids, 10, 20));
        }
        assertThat(rooms.count("ready")).isEqualTo(10);
        assertThat(rooms.count("running")).isEqualTo(20);
    }

    @Test
    void onlyAFewMayClaimManyJobsAtTheSameTime() throws Exception {
        rooms.ready(1_000);
        long node = rooms.node();

        Batch third;
        Batch small;
        try (OpenTransaction first = claiming(node);
                OpenTransaction second = claiming(node)) {
            third = claim.run(QUEUE, QueueRange.ALL, 100, node, null);
            small = claim.run(QUEUE, QueueRange.ALL, 99, node, null);
            first.commit();
            second.commit();
        }
        Batch later = claim.run(QUEUE, QueueRange.ALL, 100, node, null);

        assertThat(third).isEqualTo(new Batch(List.of(), null, null, Duration.ZERO, false));
        assertThat(small.jobs()).hasSize(99);
        assertThat(later.inTurn()).isTrue();
        assertThat(later.jobs()).hasSize(100);
    }

    private OpenTransaction claiming(long node) throws Exception {
        OpenTransaction transaction = new OpenTransaction(rooms.database());
        Batch batch = new ClaimReadyJobs(transaction.database()).run(QUEUE, QueueRange.ALL, 100, node, null);
        assertThat(batch.jobs()).hasSize(100);
        return transaction;
    }

    @Test
    void jobsOfAClaimThatRollsBackAreThereForTheNext() throws Exception {
        long[] ids = rooms.ready(5);
        long node = rooms.node();

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(other.database()).run(QUEUE, QueueRange.ALL, 3, node, null);
        }

        assertThat(ids(rooms.claim(node, 5))).containsExactlyElementsOf(part(ids, 0, ids.length));
    }

    @Test
    void concurrentClaimersShareTheJobsWithoutDoublesOrLeftovers() throws Exception {
        int jobs = 4_000;
        int claimers = 4;
        rooms.ready(jobs);
        ExecutorService threads = Executors.newFixedThreadPool(claimers);

        List<List<Long>> shares = new ArrayList<>();
        try {
            for (Future<List<Long>> share : threads.invokeAll(IntStream.range(0, claimers)
                    .<Callable<List<Long>>>mapToObj(i -> this::claimUntilEmpty)
                    .toList())) {
                shares.add(share.get());
            }
        } finally {
            threads.shutdownNow();
        }

        List<Long> claimed = shares.stream().flatMap(List::stream).toList();
        Set<Long> distinct = new TreeSet<>(claimed);
        assertThat(claimed).hasSize(jobs);
        assertThat(distinct).hasSize(jobs);
        assertThat(rooms.count("ready")).isZero();
        assertThat(rooms.count("running")).isEqualTo(jobs);
    }

    /** With a cursor, as fetchers do: back to the front when a scan came back short, done when the front is empty. */
    private List<Long> claimUntilEmpty() {
        long node = rooms.node();
        List<Long> claimed = new ArrayList<>();
        QueueRange range = QueueRange.ALL;
        while (true) {
            Batch batch = claim.run(QUEUE, range, 17, node, null);
            claimed.addAll(ids(batch.jobs()));
            if (batch.jobs().size() == 17) {
                range = QueueRange.from(last(batch));
            } else if (range != QueueRange.ALL) {
                range = QueueRange.ALL;
            } else if (rooms.count("ready") == 0) {
                return claimed;
            }
        }
    }

    // One after the other

    @Test
    void aLargeClaimGoesOnWhereTheClaimOfAnotherNodeEnded() {
        long[] ids = rooms.ready(500);
        Batch mine = claim.run(QUEUE, QueueRange.ALL, 100, rooms.node(), null);
        Batch theirs = claim.run(QUEUE, QueueRange.fromOrFurther(last(mine)), 100, rooms.node(), null);
        giveBack(theirs);

        Batch next = claim.run(QUEUE, QueueRange.fromOrFurther(last(mine)), 100, rooms.node(), null);
        Batch alone = claim.run(QUEUE, QueueRange.from(last(mine)), 100, rooms.node(), null);

        assertThat(ids(next.jobs())).containsExactlyElementsOf(part(ids, 200, 300));
        assertThat(ids(alone.jobs())).containsExactlyElementsOf(part(ids, 100, 200));
    }

    /** In an hour: before the clock was set back. */
    @ParameterizedTest
    @ValueSource(strings = {"- interval '1 s'", "+ interval '1 h'"})
    void aPlaceThatOthersReachedASecondAgoOrInTheFutureDoesNotCount(String moved) {
        long[] ids = rooms.ready(300);
        Batch mine = claim.run(QUEUE, QueueRange.ALL, 100, rooms.node(), null);
        giveBack(claim.run(QUEUE, QueueRange.fromOrFurther(last(mine)), 100, rooms.node(), null));
        rooms.execute("UPDATE rowlock.reached SET reached_at = reached_at " + moved);

        Batch next = claim.run(QUEUE, QueueRange.fromOrFurther(last(mine)), 100, rooms.node(), null);

        assertThat(ids(next.jobs())).containsExactlyElementsOf(part(ids, 100, 200));
    }

    @Test
    void aPlaceThatOthersReachedInAnotherRankOrQueueOrFurtherBackDoesNotCount() {
        long[] ids = rooms.ready(200);
        long node = rooms.node();
        Batch first = claim.run(QUEUE, QueueRange.ALL, 1, node, null);
        giveBack(first);
        rooms.execute("INSERT INTO rowlock.reached (queue, rank, reached_at, ready_at, id)"
                + " SELECT o.queue, o.rank, clock_timestamp() + interval '500 ms', now() + o.ready, 0 FROM (VALUES"
                + " ('%1$s', 1, interval '1 h'), ('other', 0, interval '1 h'), ('%1$s', 0, interval '-1 h'))"
                        .formatted(QUEUE)
                + " AS o (queue, rank, ready)");

        Batch next = claim.run(QUEUE, QueueRange.fromOrFurther(last(first)), 100, node, null);

        assertThat(ids(next.jobs())).containsExactlyElementsOf(part(ids, 1, 101));
    }

    @Test
    void smallClaimsAndClaimsByThemselvesNoteNoPlace() {
        rooms.ready(300);
        long node = rooms.node();

        Batch first = claim.run(QUEUE, QueueRange.ALL, 100, node, null);
        claim.run(QUEUE, QueueRange.fromOrFurther(last(first)), 99, node, null);

        assertThat(rooms.count("reached")).isZero();
    }

    private void giveBack(Batch batch) {
        new OutcomeStatements(rooms.database(), true)
                .release(batch.jobs().stream().map(ClaimedJob::claim).toList());
    }

    private static QueuePosition last(Batch batch) {
        return Objects.requireNonNull(batch.last());
    }
}
