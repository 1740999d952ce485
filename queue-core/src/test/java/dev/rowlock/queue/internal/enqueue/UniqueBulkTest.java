package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.CREATED;
import static dev.rowlock.queue.job.Enqueued.KEPT;
import static dev.rowlock.queue.job.Enqueued.ONCE_MORE;
import static dev.rowlock.queue.job.Enqueued.POSTPONED;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.KeyHolderStartedException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Unique keys of many requests in one call. */
class UniqueBulkTest extends UniqueModesTest {

    UniqueBulkTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void duplicatesInsideOneCallGetTheAnswersThatTheyWouldGetOneAfterTheOther() {
        UniqueKey debounced = UniqueKey.of("debounced").postponing(Duration.ofMinutes(30));
        List<JobRequest> requests = List.of(
                request("a", REPLACING),
                request("plain", null),
                request("b", REPLACING),
                JobRequest.of(new Index("1"), o -> LATER.apply(o).unique(debounced)),
                request("c", KEY),
                request("d", KEY.untilStarted().replacing()),
                JobRequest.of(new Index("2"), o -> LATER.apply(o).unique(debounced)),
                JobRequest.of(new Index("3"), o -> LATER.apply(o).unique(debounced)),
                request("kept", KEY.within(DELAY)));

        List<Enqueued> together =
                jobs.enqueueEach(requests).stream().map(EnqueueResult::what).toList();
        List<String> stored = stored();
        rooms.clear();
        List<Enqueued> apart = requests.stream()
                .map(request -> jobs.enqueueEach(List.of(request)).get(0).what())
                .toList();

        assertThat(together)
                .isEqualTo(apart)
                .containsExactly(CREATED, CREATED, REPLACED, CREATED, KEPT, REPLACED, POSTPONED, POSTPONED, CREATED);
        assertThat(stored).isEqualTo(stored());
    }

    @Test
    void manyDuplicatesOfARunningJobMakeOneFurtherRun() {
        ask("first", ONCE);
        claim();

        List<EnqueueResult> all = jobs.enqueueEach(
                IntStream.range(0, 500).mapToObj(i -> request("" + i, ONCE)).toList());

        assertThat(all).hasSize(500).extracting(EnqueueResult::what).containsOnly(ONCE_MORE);
        assertThat(all.stream().map(EnqueueResult::id).distinct()).hasSize(1);
        assertThat(payload(all.get(0).id())).isEqualTo("499");
    }

    @Test
    void aCallThatMeetsAStartedJobHasEnqueuedNothingAlsoWhereItsTransactionGoesOn() {
        ask("holder", KEY);
        claim();

        transaction.executeWithoutResult(status -> {
            assertThatThrownBy(() -> jobs.enqueueEach(
                            List.of(request("plain", null), request("kept", KEY), request("late", REPLACING))))
                    .isInstanceOf(KeyHolderStartedException.class);
            jobs.enqueue(new Index("goes on"), MAIL);
        });

        assertThat(rooms.sql("SELECT payload ->> 'what' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("goes on");
    }

    @Test
    void aStreamCountsOnlyTheJobsThatItInserted() {
        ask("first", ONCE);
        claim();

        long count = jobs.enqueueAll(Stream.of(
                request("a", ONCE),
                request("b", ONCE),
                request("c", UniqueKey.of("x").replacing()),
                request("d", null)));

        assertThat(count).isEqualTo(3);
        assertThat(live()).isEqualTo(4);
    }
}
