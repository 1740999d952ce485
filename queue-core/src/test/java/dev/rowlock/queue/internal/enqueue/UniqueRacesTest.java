package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.ONCE_MORE;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Requests with unique keys at the same time as others, and as claims. */
class UniqueRacesTest extends UniqueModesTest {

    UniqueRacesTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void twoRequestsAtOnceMakeOneFurtherRun() {
        ask("first", ONCE);
        claim();

        List<EnqueueResult> all =
                IntStream.range(0, 20)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask("" + i, ONCE)))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();

        assertThat(all).extracting(EnqueueResult::what).containsOnly(ONCE_MORE);
        assertThat(all.stream().map(EnqueueResult::id).distinct()).hasSize(1);
        assertThat(rooms.count("once_more")).isEqualTo(1);
        assertThat(live()).isEqualTo(2);
    }

    @Test
    void aRequestThatWaitsForTheFirstOnesCommitReplacesItsJob() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            JobOperations theirs =
                    FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
            EnqueueResult first = theirs.enqueueUnique(new Index("first"), REPLACING, MAIL);
            CompletableFuture<EnqueueResult> second = CompletableFuture.supplyAsync(() -> ask("second", REPLACING));
            rooms.awaitBlocked();
            other.commit();

            assertThat(second.join()).isEqualTo(new EnqueueResult(first.id(), REPLACED));
            assertThat(payload(first.id())).isEqualTo("second");
        }
    }

    @Test
    void aRequestThatWaitsForAClaimMeetsAJobThatHasStarted() throws Exception {
        ask("first", ONCE);
        long node = rooms.node();
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(Rooms.QUEUE, QueueRange.ALL, 1, node, null);
            CompletableFuture<EnqueueResult> second = CompletableFuture.supplyAsync(() -> ask("second", ONCE));
            rooms.awaitBlocked();
            claiming.commit();

            assertThat(second.join().what()).isEqualTo(ONCE_MORE);
            assertThat(live()).isEqualTo(2);
        }
    }

    @Test
    void aJobThatIsBeingReplacedIsNotClaimedMeanwhile() throws Exception {
        long id = ask("first", REPLACING).id();
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups)
                    .enqueueUnique(new Index("second"), REPLACING, MAIL);
            assertThat(rooms.claim(rooms.node(), 1)).isEmpty();
            other.commit();
        }

        ClaimedJob claimed = claim();
        assertThat(claimed.id()).isEqualTo(id);
        assertThat(payload(id)).isEqualTo("second");
    }

    @Test
    void aJobThatIsBeingReplacedIsNotMadeDueMeanwhile() throws Exception {
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.complete(running, false);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups)
                    .enqueueUnique(new Index("third"), ONCE, MAIL);
            releaseAll();
            assertThat(rooms.count("once_more")).isEqualTo(1);
            other.commit();
        }

        releaseAll();
        assertThat(dispatched()).isEqualTo(1);
        assertThat(payload(second)).isEqualTo("third");
    }

    @Test
    void bulkCallsWithTheSameKeysInAnotherOrderDoNotDeadlock() {
        for (UniqueKey mode : List.of(KEY.replacing(), KEY.untilStarted(), KEY.onceMore())) {
            rooms.clear();
            List<JobRequest> up = IntStream.range(0, 300)
                    .mapToObj(i -> request("up", named("k%03d".formatted(i), mode)))
                    .toList();
            List<JobRequest> down = IntStream.range(0, 300)
                    .mapToObj(i -> request("down", named("k%03d".formatted(299 - i), mode)))
                    .toList();
            for (int round = 0; round < 5; round++) {
                CompletableFuture<?> one =
                        CompletableFuture.supplyAsync(() -> transaction.execute(status -> jobs.enqueueEach(up)));
                CompletableFuture<?> other =
                        CompletableFuture.supplyAsync(() -> transaction.execute(status -> jobs.enqueueEach(down)));
                one.join();
                other.join();
            }
            assertThat(live()).isEqualTo(300);
        }
    }
}
