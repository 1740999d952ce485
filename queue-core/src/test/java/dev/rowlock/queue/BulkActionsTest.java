package dev.rowlock.queue;

import static dev.rowlock.queue.operate.BulkAction.State.CANCELLED;
import static dev.rowlock.queue.operate.BulkAction.State.FINISHED;
import static dev.rowlock.queue.operate.BulkAction.State.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.internal.operate.DoBulkBatch.Done;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What an operator does to many jobs, batch by batch. */
class BulkActionsTest extends BulkActionRooms {

    private final TransactionTemplate transaction;

    BulkActionsTest(TestDatabase test) {
        super(test);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    // From the call to the end

    @Test
    void jobsAreCountedFirstAndNothingHasHappenedYet() {
        dead(2_500, Rooms.QUEUE);
        dead(3, "print");

        BulkAction action = admin.by("ann", "the mail server is back").redrive(MAIL);

        assertThat(action.counted()).isEqualTo(2_500);
        assertThat(action.countedAll()).isTrue();
        assertThat(action.done()).isZero();
        assertThat(action.state()).isEqualTo(RUNNING);
        assertThat(action.who()).isEqualTo("ann");
        assertThat(rooms.count("dead")).isEqualTo(2_503);
        assertThat(wakeups.heard()).containsExactly("attention");
    }

    @Test
    void deadJobsAreRedrivenInBatchesWithProgress() {
        dead(2_500, Rooms.QUEUE);
        dead(3, "print");
        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        Optional<Done> first = batch.run();

        assertThat(first).contains(new Done(id, 1_000, true, false, false));
        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 1_000L));
        batch.run();
        batch.run();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2_500L));
        assertThat(admin.bulkAction(id).orElseThrow().endedAt()).isNotNull();
        assertThat(batch.run()).isEmpty();
        assertThat(rooms.count("waiting")).isEqualTo(2_500);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE queue = 'print'"))
                .isEqualTo(3);
    }

    @Test
    void onlyJobsThatMatchAreDiscardedAndTheBooksBalance() {
        dead(5, Rooms.QUEUE);
        rooms.execute("UPDATE rowlock.dead SET type = 'print' WHERE id % 2 = 0");
        long others = rooms.number("SELECT count(*) FROM rowlock.dead WHERE type <> 'print'");

        BulkAction action = admin.discard(JobFilter.where().type("print").states(JobState.DEAD));
        doAll();

        assertThat(rooms.count("dead")).isEqualTo(others);
        assertThat(progress(action.id())).isEqualTo(tuple(FINISHED, 5 - others));
        assertThat(rooms.number("SELECT sum(jobs) FROM rowlock.dropped WHERE room = 'dead'"))
                .isEqualTo(5 - others);
    }

    @Test
    void aPurgeEndsAllJobsThatHaveNotBegunAsCancelled() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long running = rooms.running().id();
        long dead = rooms.dead();
        long[] ready = rooms.ready(3);
        rooms.ready(java.util.List.of(Rooms.job("print", 0)));

        BulkAction action = admin.purge(Rooms.QUEUE);
        long later = rooms.ready();
        doAll();

        assertThat(action.counted()).isEqualTo(rooms.count("done"));
        assertThat(rooms.roomsOf(waiting)).containsExactly("done");
        assertThat(rooms.roomsOf(ready[1])).containsExactly("done");
        assertThat(rooms.look(waiting)).containsEntry("state", "cancelled");
        assertThat(rooms.roomsOf(running)).containsExactly("running");
        assertThat(rooms.roomsOf(dead)).containsExactly("dead");
        assertThat(rooms.roomsOf(later)).containsExactly("ready");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.ready WHERE queue = 'print'"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 1})
    void aPurgeAfterALongAbsenceMakesThePartitionThatItNeeds(int stretch) {
        rooms.ready();
        admin.purge(Rooms.QUEUE);
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = " + stretch);
        rooms.dropDonePartitions();

        doAll();

        assertThat(rooms.count("done")).isEqualTo(1);
    }

    @Test
    void theAuditSaysHowManyJobsItWasDoneTo() {
        dead(1_500, Rooms.QUEUE);
        long id = admin.by("ann", "wrong price").redrive(MAIL, 100_000).id();
        new DoBulkBatch(database).run();

        AuditEntry halfway = admin.audit(null, 1).get(0);
        admin.by("bob", null).cancelBulkAction(id);

        assertThat(halfway.who()).isEqualTo("ann");
        assertThat(halfway.why()).isEqualTo("wrong price");
        assertThat(halfway.action()).isEqualTo("redrive");
        assertThat(halfway.subject()).isEqualTo("queue=mail");
        assertThat(halfway.detail()).isEqualTo("100000 a second");
        assertThat(halfway.jobs()).isEqualTo(1_000);
        assertThat(halfway.bulkActionId()).isEqualTo(id);
        assertThat(admin.audit(null, 1))
                .extracting(AuditEntry::who, AuditEntry::action, AuditEntry::subject)
                .containsExactly(tuple("bob", "cancel bulk action", "bulk action " + id));
    }

    // What is refused

    @Test
    void aFilterThatSaysNothingIsRefusedAndNothingIsChanged() {
        rooms.dead();

        assertThatThrownBy(() -> admin.discard(JobFilter.where()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("discard with a filter that has no condition")
                .hasMessageContaining("JobFilter.all()");
        assertThatThrownBy(() -> admin.redrive(JobFilter.where().states(JobState.RUNNING)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[dead, quarantined]");
        assertThatThrownBy(() -> admin.redrive(MAIL, 0)).hasMessageContaining("must lie between 1 and");

        assertThat(rooms.count("bulk_action")).isZero();
        assertThat(rooms.count("audit")).isZero();
        assertThat(rooms.count("dead")).isEqualTo(1);
    }

    @Test
    void whoMeansAllJobsSaysSo() {
        dead(2, Rooms.QUEUE);
        dead(1, "print");

        BulkAction action = admin.discard(JobFilter.all());
        doAll();

        assertThat(action.counted()).isEqualTo(3);
        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void anActionRollsBackWithItsTransaction() {
        rooms.dead();

        transaction.executeWithoutResult(status -> {
            assertThat(admin.redrive(MAIL).counted()).isEqualTo(1);
            status.setRollbackOnly();
        });

        assertThat(admin.bulkActions(null, 10)).isEmpty();
        assertThat(rooms.count("audit")).isZero();
        assertThat(wakeups.heard()).isEmpty();
    }

    // Cancel, and many that match nothing

    @Test
    void aCancelledActionGoesNoFurtherAndWhatItDidStays() {
        dead(2_500, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();
        new DoBulkBatch(database).run();

        assertThat(admin.cancelBulkAction(id)).isTrue();
        assertThat(admin.cancelBulkAction(id)).isFalse();

        assertThat(new DoBulkBatch(database).run()).isEmpty();
        assertThat(progress(id)).isEqualTo(tuple(CANCELLED, 1_000L));
        assertThat(rooms.count("dead")).isEqualTo(1_500);
    }

    @Test
    void aFilterThatMatchesLittleEndsAsWellStretchByStretch() {
        dead(25_000, "print");
        long last = rooms.dead();

        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);
        batch.run();
        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 0L));
        doAll();

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 1L));
        assertThat(rooms.roomsOf(last)).containsExactly("waiting");
    }

    @Test
    void actionsTakeTurns() {
        dead(3_000, Rooms.QUEUE);
        dead(3_000, "print");
        long one = admin.redrive(MAIL).id();
        long other = admin.redrive(JobFilter.where().queue("print")).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        batch.run();
        batch.run();

        assertThat(progress(one)).isEqualTo(tuple(RUNNING, 1_000L));
        assertThat(progress(other)).isEqualTo(tuple(RUNNING, 1_000L));
    }
}
