package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.ClusterStatements.Depth;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class DepthTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final Measurements measure;
    private final ClusterStatements read;

    DepthTest(TestDatabase database) {
        test = database;
        rooms = Rooms.emptyIn(database);
        measure = new Measurements(rooms.database());
        read = new ClusterStatements(rooms.database());
    }

    @Test
    void theMeasurementAgreesWithTheRooms() {
        rooms.dead();
        rooms.running(2);
        rooms.ready(3);
        rooms.ready(List.of(Rooms.job("print", 0)));
        rooms.waiting(Due.after(Duration.ofDays(1)));

        measure.depth();

        assertThat(read.depths())
                .extracting(Depth::queue, Depth::room, Depth::jobs)
                .containsExactly(
                        tuple("mail", "dead", 1L),
                        tuple("mail", "ready", 3L),
                        tuple("mail", "running", 2L),
                        tuple("mail", "waiting", 1L),
                        tuple("print", "ready", 1L));
    }

    @Test
    void aRoomThatHasEmptiedSaysZero() {
        rooms.ready();
        measure.depth();
        rooms.execute("DELETE FROM rowlock.ready");

        measure.depth();

        assertThat(read.depths()).hasSize(1).allSatisfy(depth -> {
            assertThat(depth.jobs()).isZero();
            assertThat(depth.oldestSeconds()).isNull();
        });
    }

    @Test
    void aLargeRoomIsEstimatedExceptForItsSmallQueuesAndTheOldestJob() {
        int jobs = 24_000;
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0,
                       CASE WHEN i %% 240 = 0 THEN 'print' ELSE 'mail' END, 'send', to_json(repeat('x', 1700))
                  FROM generate_series(1, %d) i""".formatted(jobs));
        rooms.ready(List.of(Rooms.job("print", 7)));
        rooms.execute(
                "UPDATE rowlock.ready SET ready_at = ready_at - interval '90 s' WHERE queue = 'print' AND rank = 7");
        assertThat(rooms.number("SELECT pg_relation_size('rowlock.ready')")).isGreaterThan(32_000_000);

        measure.depth();

        Depth mail = read.depths().get(0);
        Depth print = read.depths().get(1);
        assertThat(mail.jobs()).isBetween(jobs * 9L / 10, jobs * 11L / 10);
        assertThat(print.jobs()).isEqualTo(101);
        assertThat(print.oldestSeconds()).isBetween(90.0, 150.0);
    }

    /** What is tried again stands first in its key, and has become ready a moment ago. */
    @Test
    void aJobThatWaitsBehindAFreshRetryOfItsKeyTellsTheAgeOfItsQueue() {
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, attempt, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), statement_timestamp() - age, statement_timestamp() - interval '1 h', 0, attempt, 'mail', 'tenant', 'send'
                  FROM (VALUES (interval '0', 3), (interval '5 min', 0), (interval '4 min', 0)) AS jobs (age, attempt)""");

        measure.depth();

        assertThat(read.depths())
                .singleElement()
                .satisfies(depth -> assertThat(depth.oldestSeconds()).isBetween(300.0, 360.0));
    }

    @Test
    void aQueueIsForgottenAnHourAfterItsLastJob() {
        rooms.ready();
        measure.depth();
        rooms.execute("DELETE FROM rowlock.ready");
        measure.depth();
        measure.depth();
        assertThat(read.depths()).as("a moment after its last job").hasSize(1);

        rooms.execute("UPDATE rowlock.depth SET measured_at = measured_at - interval '61 min'");
        measure.depth();

        assertThat(read.depths()).isEmpty();
    }

    @Test
    void aQueueThatANodeServesIsNeverForgotten() {
        rooms.node();
        measure.depth();
        rooms.execute("UPDATE rowlock.depth SET measured_at = measured_at - interval '61 min'");

        measure.depth();

        assertThat(read.depths())
                .extracting(Depth::queue, Depth::room, Depth::jobs)
                .containsExactly(tuple("mail", "ready", 0L));
    }

    @Test
    void whatHasNotChangedIsNotWrittenAgainAndTheMeasurementIsYoungAllTheSame() {
        for (String queue : List.of("a", "b", "c")) {
            rooms.ready(List.of(Rooms.job(queue, 0)));
        }
        measure.depth();
        rooms.execute("UPDATE rowlock.depth SET measured_at = measured_at - interval '10 min'");
        List<String> before = rows();

        measure.depth();

        assertThat(rows()).hasSize(3).containsAll(before.subList(1, 3)).doesNotContain(before.get(0));
        assertThat(read.depths())
                .allSatisfy(depth -> assertThat(depth.ageSeconds()).isLessThan(300));
    }

    private List<String> rows() {
        return rooms.sql("SELECT queue || ' ' || xmin FROM rowlock.depth ORDER BY queue")
                .query(String.class)
                .list();
    }

    @Test
    void figuresFromBeforeTheClockWasSetBackAreWrittenAgain() {
        rooms.ready(List.of(Rooms.job("a", 0)));
        rooms.ready(List.of(Rooms.job("b", 0)));
        measure.depth();
        rooms.execute("UPDATE rowlock.depth SET measured_at = measured_at + interval '1 day'");

        measure.depth();

        assertThat(rooms.truth("SELECT max(measured_at) <= now() FROM rowlock.depth"))
                .isTrue();
    }

    @Test
    void theAgeOfTheOldestJobIsItsAgeAtTheMeasurement() {
        rooms.ready();
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at - interval '90 s'");
        measure.depth();
        rooms.execute(
                "UPDATE rowlock.depth SET oldest_at = oldest_at - interval '1 h', measured_at = measured_at - interval '1 h'");

        Depth ready = read.depths().get(0);

        assertThat(ready.oldestSeconds()).isBetween(90.0, 150.0);
        assertThat(ready.ageSeconds()).isGreaterThanOrEqualTo(3_600);
    }

    @Test
    void noAgeIsNegativeWhenTheClockWasSetBack() {
        rooms.ready();
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at + interval '1 h'");
        measure.depth();
        rooms.execute("UPDATE rowlock.depth SET measured_at = measured_at + interval '1 min'");

        Depth ready = read.depths().get(0);

        assertThat(ready.oldestSeconds()).isZero();
        assertThat(ready.ageSeconds()).isZero();
    }

    @Test
    void aSmallQueueOfManyDeadJobsIsCountedExactly() {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'dead',
                       CASE WHEN i % 1200 = 0 THEN 'print' ELSE 'mail' END, 'send', to_json(repeat('x', 1700))
                  FROM generate_series(1, 24000) i""");
        assertThat(rooms.number("SELECT pg_relation_size('rowlock.dead')")).isGreaterThan(32_000_000);

        measure.depth();

        assertThat(read.depths())
                .filteredOn(depth -> depth.queue().equals("print"))
                .singleElement()
                .satisfies(depth -> assertThat(depth.jobs()).isEqualTo(20));
    }

    @Test
    void ofAKeyThatHasManyJobsOnlyTheFirstIsReadForItsAge() throws SQLException {
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), statement_timestamp() - make_interval(secs => 1000 - i), statement_timestamp(), 0,
                       'mail', 'tenant-' || i % 2, 'send'
                  FROM generate_series(1, 1000) i""");

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            new Measurements(explained.database()).depth();

            assertThat(explained.lastPlan()).doesNotContain("Presorted Key");
        }
        assertThat(read.depths())
                .singleElement()
                .satisfies(depth -> assertThat(depth.oldestSeconds()).isBetween(998.0, 1_060.0));
    }
}
