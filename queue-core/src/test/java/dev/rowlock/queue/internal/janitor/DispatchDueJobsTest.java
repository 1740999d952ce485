package dev.rowlock.queue.internal.janitor;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs.Result;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class DispatchDueJobsTest {

    private static final Due NOW = Due.after(Duration.ZERO);

    private final Rooms rooms;
    private final DispatchDueJobs dispatch;

    DispatchDueJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        dispatch = new DispatchDueJobs(rooms.database());
    }

    @Test
    void jobsWhoseTimeHasComeAreReadyAndOthersWait() {
        long due = rooms.waiting(NOW);
        long later = rooms.waiting(Due.after(Duration.ofHours(1)));

        Result result = dispatch.run(100);

        assertThat(result.queues()).containsExactly(new ReadyJobs(QUEUE, 0, 1, List.of()));
        assertThat(result.nextDue()).isBetween(Duration.ofMinutes(55), Duration.ofHours(1));
        assertThat(rooms.roomsOf(due)).containsExactly("ready");
        assertThat(rooms.roomsOf(later)).containsExactly("waiting");
    }

    @Test
    void aJobThatIsDueInAMomentWaits() {
        long soon = rooms.waiting(Due.after(Duration.ofSeconds(30)));

        new DispatchDueJobs(rooms.database()).run(10);
        new DispatchDueJobs(rooms.database()).named(List.of(soon));

        assertThat(rooms.roomsOf(soon)).containsExactly("waiting");
    }

    @Test
    void theAnswerNamesEachQueueWithItsMostUrgentRank() {
        rooms.waiting(List.of(
                new NewJob("mail", "send", 3, NOW, null, null, "{}", null, null),
                new NewJob("mail", "send", -4, NOW, null, null, "{}", null, null),
                new NewJob("print", "page", 9, NOW, null, null, "{}", null, null)));

        Result result = dispatch.run(100);

        assertThat(result.queues())
                .containsExactlyInAnyOrder(
                        new ReadyJobs("mail", -4, 2, List.of()), new ReadyJobs("print", 9, 1, List.of()));
        assertThat(result.jobs()).isEqualTo(3);
        assertThat(result.nextDue()).isNull();
    }

    @Test
    void theAnswerNamesTheKeysOfEachQueueUnlessThereAreMany() {
        rooms.unique(Stream.of("b", "a", "b", null)
                .map(key -> new NewJob("few", "send", 0, NOW, null, null, "{}", null, key, null))
                .toList());
        rooms.unique(IntStream.range(0, 20)
                .mapToObj(i -> new NewJob("many", "send", 0, NOW, null, null, "{}", null, "key " + i, null))
                .toList());

        Map<String, List<String>> keys =
                dispatch.run(100).queues().stream().collect(Collectors.toMap(ReadyJobs::queue, ReadyJobs::keys));

        assertThat(keys.get("few")).containsExactlyInAnyOrder("a", "b");
        assertThat(keys.get("many")).hasSizeGreaterThan(ReadyJobs.MOST_KEYS);
    }

    @Test
    void jobsOfOneQueueAndPriorityLieSideBySide() {
        rooms.waiting(IntStream.range(0, 60)
                .mapToObj(i ->
                        new NewJob(i % 2 == 0 ? "mail" : "print", "send", i % 3, NOW, null, null, "{}", null, null))
                .toList());

        dispatch.run(100);

        assertThat(rooms.lanesOnDisk()).hasSize(60).isSorted();
    }

    @Test
    void anEmptyWaitingRoomHasNothingToDispatchAndNoNextTime() {
        Result result = dispatch.run(100);

        assertThat(result.jobs()).isZero();
        assertThat(result.nextDue()).isNull();
    }

    @Test
    void theLongestDueJobsGoFirstAndThoseOverTheLimitStayForTheNextCall() {
        long[] ids = rooms.waiting(Collections.nCopies(5, Rooms.job(NOW)));
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at - id * interval '1 second'");

        Result first = dispatch.run(2);
        Result second = dispatch.run(100);

        assertThat(first.jobs()).isEqualTo(2);
        assertThat(second.jobs()).isEqualTo(3);
        assertThat(rooms.sql("SELECT id FROM rowlock.ready ORDER BY ready_at, id")
                        .query(Long.class)
                        .list())
                .containsExactly(ids[3], ids[4], ids[0], ids[1], ids[2]);
    }

    @Test
    void theNextCallGoesOnBehindTheLastJob() {
        long[] ids = rooms.waiting(Collections.nCopies(5, Rooms.job(NOW)));
        rooms.execute("UPDATE rowlock.waiting SET due_at = '2026-01-01'");

        Result first = dispatch.run(2);
        Result second = dispatch.run(Objects.requireNonNull(first.last()), 2, List.of());
        rooms.execute("UPDATE rowlock.waiting SET due_at = '2025-12-31'");
        Result third = dispatch.run(Objects.requireNonNull(second.last()), 2, List.of());

        assertThat(second.last().id()).isEqualTo(ids[3]);
        assertThat(third.last()).isNull();
        assertThat(rooms.roomsOf(ids[4])).containsExactly("waiting");
    }

    @Test
    void aDispatchedJobKeepsWhatItCameWith() {
        NewJob job = new NewJob(QUEUE, "ship", 7, NOW, 4, Duration.ofSeconds(9), "{\"n\": 1}", "{\"k\": \"v\"}", null);
        long id = rooms.waiting(List.of(job))[0];

        dispatch.run(100);
        ClaimedJob claimed = rooms.claim(rooms.node(), 1).get(0);

        assertThat(claimed.id()).isEqualTo(id);
        assertThat(claimed.payload()).isEqualTo("{\"n\": 1}");
        assertThat(claimed.headers()).isEqualTo("{\"k\": \"v\"}");
        assertThat(claimed.maxRetries()).isEqualTo(4);
        assertThat(claimed.timeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(rooms.look(id)).containsEntry("priority", -7);
    }

    @Test
    void twoDispatchersAtOnceShareTheWork() throws Exception {
        long[] ids = rooms.waiting(Collections.nCopies(10, Rooms.job(NOW)));

        Result ours;
        Result theirs;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new DispatchDueJobs(other.database()).run(4);
            ours = dispatch.run(100);
            other.commit();
        }

        assertThat(theirs.jobs()).isEqualTo(4);
        assertThat(ours.jobs()).isEqualTo(6);
        assertThat(LongStream.of(ids))
                .allSatisfy(id -> assertThat(rooms.roomsOf(id)).containsExactly("ready"));
    }
}
