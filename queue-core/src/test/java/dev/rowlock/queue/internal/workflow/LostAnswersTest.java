package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** The connection is lost while the end of a job is noted. */
@PostgresTest(freshPerTest = true, migrated = true)
class LostAnswersTest {

    private final Rooms rooms;
    private final Progress progress;

    LostAnswersTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        progress = new Progress(rooms.database(), new WakeupBus(Wakeups.NONE));
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (7, 'w')");
        rooms.execute(
                "INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts) VALUES (7, 0, 'first', 'released', false)");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (1, 7, 0)");
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                VALUES (1, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed')
                """);
        rooms.execute("CREATE SEQUENCE updates");
        rooms.execute("""
                CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF nextval('updates') = 1 THEN
                        PERFORM pg_terminate_backend(pg_backend_pid());
                    END IF;
                    RETURN NEW;
                END $$
                """);
        rooms.execute("CREATE TRIGGER lost BEFORE UPDATE ON rowlock.workflow_job FOR EACH ROW EXECUTE FUNCTION lost()");
    }

    /** Whoever tries again finds that it was done, and nothing of what follows. */
    @Test
    void itFailsSoThatTheSweepLooksAndIsNotTriedAgain() {
        assertThatThrownBy(() -> progress.ended(List.of(1L))).isInstanceOf(DataAccessException.class);

        assertThat(rooms.number("SELECT last_value FROM updates")).isOne();
    }
}
