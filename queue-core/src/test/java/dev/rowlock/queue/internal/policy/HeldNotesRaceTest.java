package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.policy.PolicyStatements.WaitingPosition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody lets a held job run by hand, and it is held again in the moment in which the note of the first time is removed. */
@PostgresTest(freshPerTest = true, migrated = true)
class HeldNotesRaceTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private long node;
    private long id;

    HeldNotesRaceTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void heldAndLetGo() {
        node = rooms.node();
        new PolicyStatements(rooms.database()).take(Rooms.QUEUE, node, Duration.ofSeconds(3));
        new PolicyStatements(rooms.database()).admit(Rooms.QUEUE, node, List.of(), Duration.ofSeconds(10));
        id = rooms.ready();
        new PolicyStatements(rooms.database()).hold(Rooms.QUEUE, 10);
        rooms.execute("""
                WITH gone AS (DELETE FROM rowlock.waiting RETURNING *)
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)
                SELECT id, now(), enqueued_at, rank, queue, type, payload FROM gone
                """);
    }

    @Test
    void aLookAtThePageKeepsTheNewNote() throws Exception {
        meanwhile(() -> new PolicyStatements(rooms.database()).page(Rooms.QUEUE, WaitingPosition.FRONT));

        assertThat(new PolicyStatements(rooms.database())
                        .page(Rooms.QUEUE, WaitingPosition.FRONT)
                        .jobs())
                .extracting(job -> job.id())
                .containsExactly(id);
    }

    @Test
    void whoLetsJobsGoKeepsTheNewNote() throws Exception {
        rooms.execute("UPDATE rowlock.policy SET decides_until = now() - interval '1 s'");
        meanwhile(() -> new PolicyStatements(rooms.database()).letGo(Rooms.QUEUE, 10, List.of()));

        assertThat(new PolicyStatements(rooms.database())
                        .letGo(Rooms.QUEUE, 10, List.of())
                        .jobs())
                .isEqualTo(1);
    }

    /** As holding jobs does, but slowly. */
    private void meanwhile(Runnable removes) throws Exception {
        CompletableFuture<Void> removed;
        try (Connection somebody = test.dataSource().getConnection();
                Statement statement = somebody.createStatement()) {
            somebody.setAutoCommit(false);
            statement.execute("""
                    WITH taken AS (DELETE FROM rowlock.ready RETURNING *),
                    held AS (
                        INSERT INTO rowlock.waiting (id, due_at, reason, enqueued_at, rank, queue, type, payload)
                        SELECT id, statement_timestamp() + interval '1 h', 'policy', enqueued_at, rank, queue, type, payload FROM taken)
                    INSERT INTO rowlock.held_job (job_id, due_at, ready_at, rank, queue)
                    SELECT id, statement_timestamp() + interval '1 h', ready_at, rank, queue FROM taken
                    ON CONFLICT (job_id) DO UPDATE SET due_at = excluded.due_at, ready_at = excluded.ready_at
                    """);
            int backend = backend(statement);
            removed = CompletableFuture.runAsync(removes);
            await().until(() -> waitsFor(backend));
            somebody.commit();
        }
        removed.get();
    }

    private static int backend(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private boolean waitsFor(int backend) {
        return rooms.sql("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE " + backend
                        + " = ANY (pg_blocking_pids(pid)))")
                .query(Boolean.class)
                .single();
    }
}
