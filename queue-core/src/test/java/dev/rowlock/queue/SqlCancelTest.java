package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

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
