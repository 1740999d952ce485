package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Workflows within workflows, as a job makes them that starts another one for what comes next. */
@PostgresTest(freshPerTest = true, migrated = true)
@LongRunning
class NestedWorkflowsTest {

    private static final int LEVELS = 3_000;

    private final TestDatabase test;
    private final Rooms rooms;
    private final Progress progress;

    NestedWorkflowsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.progress = new Progress(rooms.database(), new WakeupBus(Wakeups.NONE));
    }

    @Test
    void theEndOfTheInnermostEndsAllHoweverManyThereAre() {
        rooms.execute("INSERT INTO rowlock.workflow (id, name) SELECT i, 'w' FROM generate_series(1, %d) i"
                .formatted(LEVELS));
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                SELECT i, 0, 'first', 'released', false FROM generate_series(1, %d) i
                """.formatted(LEVELS));
        // Each has the one behind it as its only job, and the last one a job.
        rooms.execute("""
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no)
                SELECT CASE WHEN i < %1$d THEN -(i + 1) ELSE i + 1 END, i, 0 FROM generate_series(1, %1$d) i
                """.formatted(LEVELS));
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                VALUES (%d, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed')
                """.formatted(LEVELS + 1));

        progress.ended(List.of(LEVELS + 1L));

        assertThat(JdbcClient.create(test.dataSource())
                        .sql("SELECT DISTINCT state FROM rowlock.workflow")
                        .query(String.class)
                        .list())
                .containsExactly("completed");
    }
}
