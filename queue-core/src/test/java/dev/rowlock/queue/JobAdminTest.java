package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.AuditFilter;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
class JobAdminTest {

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final JobSearch search;
    private final TransactionTemplate transaction;

    JobAdminTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        admin = FrontDoors.admin(rooms.database(), wakeups);
        search = new JobSearch(rooms.database());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    // Cancel

    @Test
    void aJobThatIsNotRunningIsCancelledAtOnce() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long ready = rooms.ready();

        assertThat(Stream.of(waiting, ready)).allSatisfy(id -> {
            assertThat(admin.cancel(id)).isEqualTo(CancelResult.CANCELLED);
            assertThat(rooms.roomsOf(id)).containsExactly("done");
            assertThat(search.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
        });
        assertThat(wakeups.heard()).isEmpty();
    }

    /** Otherwise what runs after it would wait until somebody walks through all workflows. */
    @Test
    void workflowsHearAtOnceWhatIsDoneToTheirJobs() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long redriven = rooms.dead();
        long discarded = rooms.dead();
        String headers = Headers.inWorkflow(null, 7);
        rooms.sql("UPDATE rowlock.waiting SET headers = ?::jsonb")
                .param(headers)
                .update();
        rooms.sql("UPDATE rowlock.dead SET headers = ?::jsonb").param(headers).update();

        admin.cancel(waiting);
        assertThat(wakeups.heard()).containsExactly("attention");
        admin.redrive(redriven);
        admin.discard(discarded);

        assertThat(wakeups.heard()).filteredOn("attention"::equals).hasSize(3);
    }

    @Test
    void aRunningJobIsAskedToStopAndItsNodeHearsAtOnce() {
        ClaimedJob job = rooms.running();

        CancelResult result = admin.cancel(job.id());

        assertThat(result).isEqualTo(CancelResult.REQUESTED);
        assertThat(search.find(job.id()).orElseThrow().cancelRequested()).isTrue();
        assertThat(wakeups.heard()).containsExactly("attention");
    }

    @Test
    void anEndedJobStaysAsItEndedAndAnUnknownJobIsNotFound() {
        long id = rooms.ready();
        admin.cancel(id);

        long dead = rooms.dead();

        assertThat(admin.cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
        assertThat(admin.cancel(dead)).isEqualTo(CancelResult.ALREADY_ENDED);
        assertThat(rooms.roomsOf(dead)).containsExactly("dead");
        assertThat(admin.cancel(Long.MAX_VALUE)).isEqualTo(CancelResult.NOT_FOUND);
    }

    @Test
    void aCancelAndItsLineRollBackWithTheirTransaction() {
        ClaimedJob running = rooms.running(1).get(0); // before the other one, which it would claim
        long ready = rooms.ready();

        transaction.executeWithoutResult(status -> {
            admin.cancel(ready);
            admin.cancel(running.id());
            status.setRollbackOnly();
        });

        assertThat(search.find(running.id()).orElseThrow().cancelRequested()).isFalse();
        assertThat(rooms.roomsOf(ready)).containsExactly("ready");
        assertThat(admin.audit(null, 10)).isEmpty();
        assertThat(wakeups.heard()).isEmpty();
    }

    // Redrive and discard

    @Test
    void aDeadJobIsRedrivenAndTheDispatcherHears() {
        long id = rooms.dead();

        assertThat(admin.redrive(id)).isTrue();
        assertThat(admin.redrive(id)).isFalse();

        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(wakeups.heard()).containsExactly("waiting PT0S");
    }

    @Test
    void aDiscardedJobIsGoneForGood() {
        long id = rooms.dead();

        assertThat(admin.discard(id)).isTrue();
        assertThat(admin.discard(id)).isFalse();

        assertThat(rooms.count("dead")).isZero();
        assertThat(rooms.number("SELECT sum(jobs) FROM rowlock.dropped WHERE room = 'dead'"))
                .isEqualTo(1);
    }

    // Pause

    @Test
    void aPauseIsVisibleUntilItEndsAndNodesHearOfBoth() {
        JobAdmin ann = admin.by("ann", "wrong price");
        assertThat(ann.pause("mail")).isTrue();
        assertThat(ann.pauseType("send")).isTrue();
        assertThat(ann.pauseEverything()).isTrue();

        assertThat(admin.pauses())
                .extracting(Pause::kind, Pause::name, Pause::who, Pause::why)
                .containsExactlyInAnyOrder(
                        tuple(Pause.Kind.QUEUE, "mail", "ann", "wrong price"),
                        tuple(Pause.Kind.TYPE, "send", "ann", "wrong price"),
                        tuple(Pause.Kind.EVERYTHING, "", "ann", "wrong price"));
        assertThat(ann.resume("mail")).isTrue();
        assertThat(ann.resumeType("send")).isTrue();
        assertThat(ann.resumeEverything()).isTrue();
        assertThat(admin.pauses()).isEmpty();
        assertThat(wakeups.heard()).hasSize(6).containsOnly("attention");
    }

    @Test
    void whoPausedFirstStaysNamedAndAResumeOfWhatRunsChangesNothing() {
        admin.by("ann", "wrong price").pause("mail");
        Pause first = admin.pauses().get(0);

        assertThat(admin.by("bob", null).pause("mail")).isFalse();
        assertThat(admin.resume("print")).isFalse();

        assertThat(admin.pauses()).containsExactly(first);
        assertThat(admin.audit(null, 10)).extracting(AuditEntry::who).containsExactly("ann");
    }

    @Test
    void anInvalidNameIsRefused() {
        assertThatThrownBy(() -> admin.pause("no spaces")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.pauseType(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("job type name is null");
        assertThatThrownBy(() -> admin.purge(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queue name");
        assertThat(admin.audit(null, 10)).isEmpty();
    }

    // Audit

    @Test
    void linesOfTheAuditAreFoundByWhoWhatToWhatAndWhen() {
        admin.by("ann", "wrong price").pause("mail");
        admin.by("bob", null).pause("print");
        admin.by("ann", null).resume("mail");
        AuditEntry bobs = admin.audit(null, 3).get(1);

        assertThat(actions(AuditFilter.ALL.who("ann"))).containsExactly("resume", "pause");
        assertThat(actions(AuditFilter.ALL.action("pause"))).hasSize(2);
        assertThat(actions(AuditFilter.ALL.subject("MAIL").action("pause"))).hasSize(1);
        assertThat(actions(AuditFilter.ALL.from(bobs.at()))).containsExactly("resume", "pause");
        assertThat(actions(AuditFilter.ALL.until(bobs.at()))).containsExactly("pause");
        assertThat(actions(AuditFilter.ALL.who("%"))).isEmpty();
        assertThat(actions(AuditFilter.ALL.from(Instant.MIN).until(Instant.MAX)))
                .hasSize(3);
        assertThat(actions(AuditFilter.ALL.from(Instant.MAX))).isEmpty();
        assertThat(actions(AuditFilter.ALL.until(Instant.MIN))).isEmpty();
        assertThat(admin.audit(AuditFilter.ALL.who("ann"), bobs.id(), 10)).hasSize(1);
        assertThatThrownBy(() -> AuditFilter.ALL.from(bobs.at()).until(bobs.at().minusSeconds(1)))
                .hasMessageContaining("exchange the times");
    }

    /** The subject of a bulk action quotes the payload that its filter looks for. */
    @Test
    void whoMayNotSeePayloadsSearchesTheAuditWithoutBulkActions() {
        rooms.dead();
        admin.redrive(JobFilter.where().payload("$.card == \"4111\""));
        admin.pause("4111");

        assertThat(actions(AuditFilter.ALL.subject("4111"))).containsExactly("pause", "redrive");
        assertThat(actions(AuditFilter.ALL.subject("4111").withoutBulkActions()))
                .containsExactly("pause");
    }

    private List<String> actions(AuditFilter filter) {
        return admin.audit(filter, null, 10).stream().map(AuditEntry::action).toList();
    }

    @Test
    void everyActionLeavesALineThatSaysWhoDidWhatAndWhy() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long dead = rooms.dead();
        ClaimedJob running = rooms.running();
        JobAdmin ann = admin.by("ann", "wrong price");

        ann.runNow(waiting);
        ann.changePriority(waiting, 7);
        ann.reschedule(waiting, Duration.ofHours(1));
        ann.editPayloadUnchecked(waiting, "{}");
        ann.cancel(waiting);
        ann.cancel(running.id());
        ann.redrive(dead);
        ann.pause("mail");
        admin.resume("mail");

        assertThat(admin.audit(null, 20))
                .extracting(
                        AuditEntry::who,
                        AuditEntry::why,
                        AuditEntry::action,
                        AuditEntry::subject,
                        AuditEntry::detail,
                        AuditEntry::jobs)
                .containsExactly(
                        tuple("application", null, "resume", "queue mail", null, 0L),
                        tuple("ann", "wrong price", "pause", "queue mail", null, 0L),
                        tuple("ann", "wrong price", "redrive", "job " + dead, null, 1L),
                        tuple("ann", "wrong price", "cancel", "job " + running.id(), "asked to stop", 1L),
                        tuple("ann", "wrong price", "cancel", "job " + waiting, null, 1L),
                        tuple("ann", "wrong price", "edit payload", "job " + waiting, "unchecked", 1L),
                        tuple("ann", "wrong price", "reschedule", "job " + waiting, "by PT1H", 1L),
                        tuple("ann", "wrong price", "change priority", "job " + waiting, "to 7", 1L),
                        tuple("ann", "wrong price", "run now", "job " + waiting, null, 1L));
    }

    @Test
    void whatChangesNothingLeavesNoLine() {
        long ready = rooms.ready();

        admin.redrive(ready);
        admin.discard(ready);
        admin.runNow(ready);
        admin.reschedule(Long.MAX_VALUE, Duration.ZERO);
        admin.cancel(Long.MAX_VALUE);

        assertThat(admin.audit(null, 10)).isEmpty();
    }

    @Test
    void theAuditIsReadPageByPage() {
        admin.pause("a");
        admin.pause("b");
        admin.pause("c");

        AuditEntry newest = admin.audit(null, 1).get(0);

        assertThat(newest.subject()).isEqualTo("queue c");
        assertThat(admin.audit(newest.id(), 10)).extracting(AuditEntry::subject).containsExactly("queue b", "queue a");
        assertThatThrownBy(() -> admin.audit(null, 0)).hasMessageContaining("limit 0 must lie between 1 and 1000");
    }

    @Test
    void nobodyActsWithoutAName() {
        assertThatThrownBy(() -> admin.by(" ", "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("who does it is not said");
        assertThatThrownBy(() -> admin.by("ann", "x".repeat(1_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001 characters: up to 1000");
    }

    static Stream<Consumer<JobAdmin>> changes() {
        return Stream.of(
                admin -> admin.cancel(1),
                admin -> admin.redrive(1),
                admin -> admin.discard(1),
                admin -> admin.runNow(1),
                admin -> admin.reschedule(1, Duration.ZERO),
                admin -> admin.changePriority(1, 1),
                admin -> admin.editPayload(1, "{}"),
                admin -> admin.redrive(JobFilter.all()),
                admin -> admin.discard(JobFilter.all()),
                admin -> admin.purge("mail"),
                admin -> admin.bringForward(JobFilter.all(), Duration.ofHours(1)),
                admin -> admin.cancelBulkAction(1),
                admin -> admin.pause("mail"),
                admin -> admin.resumeType("mail"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nothingIsChangedInAReadOnlyTransaction(Consumer<JobAdmin> change) {
        transaction.setReadOnly(true);

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> change.accept(admin)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
    }
}
