package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the audit says about one job, and of which error a bulk action was. */
@PostgresTest(migrated = true)
class JobAdminAuditOfJobTest {

    private static final int LIMIT = 50;

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobAdmin admin;
    private final JobSearch search;

    JobAdminAuditOfJobTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        admin = FrontDoors.admin(rooms.database(), new RecordedWakeups());
        search = new JobSearch(rooms.database());
        rooms.execute("ALTER SEQUENCE rowlock.job_id RESTART 100");
        dead(4, "mail", "gateway is away");
        dead(42, "mail", "gateway is away");
        dead(5, "print", "no paper\nin tray 2");
    }

    private void dead(long id, String queue, String message) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                VALUES (%d, now(), now() - interval '1 h', 0, 1, 0, 'dead', '%s', 'send', '{}',
                        jsonb_build_array(jsonb_build_object('attempt', 1, 'at', now(), 'type', 'E', 'message', '%s', 'trace', '')))
                """.formatted(id, queue, message));
    }

    private List<AuditEntry> audit(long id) {
        return admin.auditOf(search.find(id).orElseThrow(), LIMIT);
    }

    private String fingerprint(String queue) {
        return search.deadByError(JobFilter.where().queue(queue), GroupPage.first(1))
                .groups()
                .get(0)
                .fingerprint();
    }

    @Test
    void itHasTheLinesOfThisJobAloneNewestFirst() {
        admin.by("ann", "gateway is back").redrive(4);
        admin.by("bob", null).changePriority(4, 5);
        admin.by("eve", "another one").redrive(42);

        assertThat(audit(4))
                .extracting(AuditEntry::who, AuditEntry::why, AuditEntry::action)
                .containsExactly(tuple("bob", null, "change priority"), tuple("ann", "gateway is back", "redrive"));
        assertThat(audit(5)).isEmpty();
    }

    @Test
    void bulkActionsAreAmongThemUnlessTheirFilterRulesTheJobOut() {
        admin.by("all", null).redrive(JobFilter.all());
        admin.by("of mail", null).redrive(JobFilter.where().queue("mail"));
        admin.by("of print", null).redrive(JobFilter.where().queue("print"));
        admin.by("of a key", null).redrive(JobFilter.where().key("tenant-7").states(JobState.DEAD));
        admin.by("of the error", null).redrive(JobFilter.where().fingerprint(fingerprint("mail")));
        admin.by("of the other error", null).redrive(JobFilter.where().fingerprint(fingerprint("print")));
        dead(200, "mail", "gateway is away"); // it came later

        assertThat(audit(4)).extracting(AuditEntry::who).containsExactly("of the error", "of mail", "all");
        assertThat(audit(5)).extracting(AuditEntry::who).containsExactly("of the other error", "of print", "all");
        assertThat(audit(200)).isEmpty();
    }

    @Test
    void aBulkActionOfOneKindOfErrorSaysWhichAlsoWhenNoJobHasItAnyMore() {
        KindOfError error = new KindOfError("send", "E", "no paper");
        long id = admin.discard(JobFilter.where().fingerprint(fingerprint("print")))
                .id();
        admin.redrive(JobFilter.where().queue("mail"));
        admin.redrive(JobFilter.where().fingerprint("0123456789abcdef"));
        rooms.execute("DELETE FROM rowlock.dead WHERE queue = 'print'");

        assertThat(admin.bulkAction(id).orElseThrow().error()).isEqualTo(error);
        assertThat(admin.bulkActions(null, 10))
                .extracting(action -> action.error())
                .containsExactly(null, null, error);
        assertThat(admin.audit(null, 10)).extracting(AuditEntry::error).containsExactly(null, null, error);
    }

    @Test
    void theErrorOfJobsThatAreRetriedIsFoundToo() {
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, queue, type, payload, attempt, reason, errors)
                SELECT 7, now() + interval '1 h', now(), 0, 'sync', 'sync', '{}', 1, 'retry', errors FROM rowlock.dead WHERE id = 5
                """);
        String fingerprint = fingerprint("print");
        rooms.execute("DELETE FROM rowlock.dead WHERE id = 5");

        long id = admin.cancel(JobFilter.where().fingerprint(fingerprint)).id();

        assertThat(admin.bulkAction(id).orElseThrow().error()).isEqualTo(new KindOfError("sync", "E", "no paper"));
    }

    @Test
    void ofALongAuditOnlyLinesSinceTheJobWasEnqueuedAreRead() throws Exception {
        rooms.execute("""
                INSERT INTO rowlock.audit (at, who, action, subject, jobs)
                SELECT now() - i * interval '1 min', 'ann', 'redrive', 'job ' || i, 1 FROM generate_series(1, 50000) AS i
                """);
        rooms.execute("ANALYZE rowlock.audit");
        JobDetails job = search.find(4).orElseThrow();

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            List<AuditEntry> lines = FrontDoors.admin(explained.database(), new RecordedWakeups())
                    .auditOf(job, LIMIT);

            assertThat(lines).extracting(AuditEntry::subject).containsExactly("job 4");
            assertThat(explained.lastPlan()).contains("audit_by_age on audit").doesNotContain("Seq Scan on audit");
        }
    }
}
