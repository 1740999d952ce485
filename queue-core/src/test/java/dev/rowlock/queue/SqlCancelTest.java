package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Jobs that are cancelled from SQL. */
class SqlCancelTest extends SqlCalls {

    SqlCancelTest(TestDatabase test) {
        super(test);
    }

    @Test
    void aJobThatHasNotBegunIsCancelled() {
        long ready = number("SELECT rowlock.enqueue('a', '{}')");
        long waiting = number("SELECT rowlock.enqueue('a', '{}', delay => '1 h')");

        assertThat(text("SELECT rowlock.cancel(%d)", ready)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(%d)", waiting)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(%d)", ready)).isEqualTo("already_ended");
        assertThat(text("SELECT rowlock.job_state(%d)", ready)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(-1)", 0)).isEqualTo("not_found");
        assertThat(text("SELECT rowlock.job_state(-1)", 0)).isNull();
    }

    @Test
    void aRunningJobIsAskedToStop() {
        rooms.ready(1);
        long id = rooms.claim(rooms.node(), 1).get(0).id();

        assertThat(text("SELECT rowlock.cancel(%d)", id)).isEqualTo("requested");
        assertThat(truth("SELECT cancel_requested FROM rowlock.running WHERE id = %d", id))
                .isTrue();
    }

    @Test
    void aCancelLeavesALineInTheAuditAsJobAdminDoes() {
        String session = text("SELECT session_user", 0);
        long idle = number("SELECT rowlock.enqueue('a', '{}')");
        rooms.ready(1);
        long running = rooms.claim(rooms.node(), 1).get(0).id();

        text("SELECT rowlock.cancel(%d)", idle);
        text("SELECT rowlock.cancel(%d)", running);
        text("SELECT rowlock.cancel(%d)", idle); // has ended
        text("SELECT rowlock.cancel(-1)", 0);

        assertThat(FrontDoors.admin(rooms.database(), new RecordedWakeups()).audit(null, 10))
                .extracting(
                        AuditEntry::who, AuditEntry::why, AuditEntry::action, AuditEntry::subject, AuditEntry::detail)
                .containsExactly(
                        tuple(session, null, "cancel", "job " + running, "asked to stop"),
                        tuple(session, null, "cancel", "job " + idle, null));
    }

    /** All but the times at which it was enqueued and ended. */
    private static final String LEFT = """
            SELECT to_jsonb(d) - ARRAY['id', 'enqueued_at', 'finished_at']::text[] FROM rowlock.done d WHERE id = %d
            """;

    @ParameterizedTest
    @ValueSource(strings = {"ready", "waiting"})
    void aCancelledJobIsTheSameAsOneThatJobAdminCancels(String room) {
        JobTemplate jobs =
                FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), Wakeups.NONE);
        UnaryOperator<JobOptions> options = o -> (room.equals("ready") ? o : o.delay(Duration.ofDays(1)))
                .key("tenant-7")
                .queue("invoices")
                .priority(7)
                .maxRetries(3)
                .timeout(Duration.ofMinutes(5))
                .header("trace", "x");
        long bySql = jobs.enqueue(new Invoice(1), options);
        long byAdmin = jobs.enqueue(new Invoice(1), options);
        execute("UPDATE rowlock.%s SET attempt = 2, crashes = 1, errors = '[{\"type\": \"x\"}]'".formatted(room));

        text("SELECT rowlock.cancel(%d)", bySql);
        FrontDoors.admin(rooms.database(), Wakeups.NONE).cancel(byAdmin);

        assertThat(text(LEFT, bySql)).isEqualTo(text(LEFT, byAdmin)).contains("tenant-7");
    }

    @Test
    void aCancelTellsNodesOfJobsThatWaitedForTheOneThatIsCancelled() throws SQLException {
        long plain = number("SELECT rowlock.enqueue('a', '{}')");
        long keyed = number("SELECT rowlock.enqueue_with_key('a', '{}', 'tenant-7', queue => 'invoices')");
        long ofWorkflow = number("SELECT rowlock.enqueue('a', '{}')");
        execute("UPDATE rowlock.ready SET headers = '{\"rowlock-workflow\": \"1\"}' WHERE id = " + ofWorkflow);
        try (Connection listening = test.dataSource().getConnection();
                Statement statement = listening.createStatement()) {
            statement.execute("LISTEN rowlock_rowlock");

            text("SELECT rowlock.cancel(%d)", plain);
            text("SELECT rowlock.cancel(%d)", keyed);
            assertThat(heard(listening)).containsExactly("sql|k|1|invoices|tenant-7");
            text("SELECT rowlock.cancel(%d)", ofWorkflow);
            assertThat(heard(listening)).containsExactly("sql|a|");

            statement.execute("UNLISTEN *");
        }
    }

    @Test
    void aCancelThatIsRolledBackLeavesNoLineInTheAudit() {
        long id = number("SELECT rowlock.enqueue('a', '{}')");

        transaction.executeWithoutResult(status -> {
            text("SELECT rowlock.cancel(%d)", id);
            status.setRollbackOnly();
        });

        assertThat(rooms.count("audit")).isZero();
    }
}
