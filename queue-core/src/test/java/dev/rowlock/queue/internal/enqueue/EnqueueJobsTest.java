package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

@PostgresTest(migrated = true)
@Representative
class EnqueueJobsTest {

    private final Rooms rooms;

    EnqueueJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @Test
    void aSingleJobUsesUpOneId() {
        long first = rooms.ready();
        EnqueueJobs ready = new EnqueueJobs(rooms.database().schema());

        long[] ids = {
            rooms.ready(),
            rooms.database().atomically(connection -> ready.runAndNotify(connection, Rooms.job(), "for a test")),
            rooms.waiting(Due.after(Duration.ofHours(1))),
            rooms.large(1, 5_000)[0],
            rooms.unique(new UniqueKey("order-1", Duration.ofHours(1))).id()
        };

        assertThat(ids).containsExactly(first + 1, first + 2, first + 3, first + 4, first + 5);
    }

    @Test
    void jobsOfOneQueueAndPriorityLieSideBySideAndKeepTheirIds() {
        List<NewJob> jobs = IntStream.range(0, 600)
                .mapToObj(i -> new NewJob(
                        i % 2 == 0 ? "mail" : "print",
                        "send",
                        i % 3,
                        null,
                        null,
                        null,
                        Integer.toString(i),
                        null,
                        null))
                .toList();

        long[] ids = rooms.ready(jobs);

        assertThat(ids).isSorted();
        assertThat(rooms.sql("SELECT payload::text FROM rowlock.ready ORDER BY id")
                        .query(String.class)
                        .list())
                .isEqualTo(jobs.stream().map(NewJob::payload).toList());
        assertThat(rooms.lanesOnDisk()).isSorted();
    }

    @Test
    void aReadyJobHoldsWhatWasGiven() {
        NewJob job =
                new NewJob("print", "page", -7, null, 4, Duration.ofMillis(1500), "{\"a\": 1}", "{\"k\": \"v\"}", null);

        long id = rooms.ready(List.of(job))[0];

        assertThat(rooms.look(id))
                .containsEntry("state", "ready")
                .containsEntry("queue", "print")
                .containsEntry("type", "page")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", 4)
                .containsEntry("timeout_millis", 1500L)
                .containsEntry("attempt", 0)
                .containsEntry("crashes", 0)
                .containsEntry("errors", null);
    }

    @Test
    void jobsOfOneBatchMayDifferInEverything() {
        NewJob plain = Rooms.job();
        NewJob other =
                new NewJob("print", "page", -7, null, 4, Duration.ofMillis(1500), "{\"a\": 1}", "{\"k\": \"v\"}", null);

        long[] ids = rooms.ready(List.of(plain, other, plain));

        assertThat(ids).isSorted();
        assertThat(rooms.look(ids[0]))
                .containsEntry("queue", plain.queue())
                .containsEntry("max_retries", null)
                .containsEntry("timeout_millis", null)
                .containsEntry("headers", null);
        assertThat(rooms.look(ids[1]))
                .containsEntry("queue", "print")
                .containsEntry("type", "page")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", 4)
                .containsEntry("timeout_millis", 1500L)
                .hasEntrySatisfying("payload", payload -> assertThat(payload).hasToString("{\"a\": 1}"))
                .hasEntrySatisfying("headers", headers -> assertThat(headers).hasToString("{\"k\": \"v\"}"));
    }

    @Test
    void aDelayCountsFromNowOnTheDatabasesClockAndAnInstantIsTakenAsItIs() {
        Instant at = Instant.parse("2031-07-01T12:00:00.654321Z");

        long[] ids = rooms.waiting(List.of(Rooms.job(Due.after(Duration.ofHours(2))), Rooms.job(Due.at(at))));

        assertThat(ids).isSorted();
        assertThat(rooms.truth("""
                        SELECT due_at BETWEEN statement_timestamp() + interval '119 min'
                                          AND statement_timestamp() + interval '120 min' FROM rowlock.waiting WHERE id =
                        """ + ids[0])).isTrue();
        assertThat(rooms.truth(
                        "SELECT due_at = '2031-07-01T12:00:00.654321Z' FROM rowlock.waiting WHERE id = " + ids[1]))
                .isTrue();
        assertThat(rooms.look(ids[1])).containsEntry("reason", "scheduled");
    }

    @Test
    void theFarthestDueTimesFit() {
        List<NewJob> jobs = List.of(
                Rooms.job(Due.after(Due.MAX_DELAY)),
                Rooms.job(Due.at(Instant.EPOCH)),
                Rooms.job(Due.at(Instant.ofEpochSecond(9_000_000_000L))));

        long[] ids = rooms.waiting(jobs);

        assertThat(ids).hasSize(3);
    }

    @Test
    void aRowThatTheDatabaseRefusesFailsTheWholeStatement() {
        List<NewJob> jobs = List.of(
                Rooms.job(),
                new NewJob("mail", "send", 0, null, null, null, "this is no JSON", null, null),
                Rooms.job());

        assertThatThrownBy(() -> rooms.ready(jobs)).isInstanceOf(DataAccessException.class);
        assertThat(rooms.count("ready")).isZero();
    }
}
