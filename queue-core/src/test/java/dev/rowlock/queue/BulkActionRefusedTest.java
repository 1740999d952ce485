package dev.rowlock.queue;

import static dev.rowlock.queue.operate.BulkAction.State.FINISHED;
import static dev.rowlock.queue.operate.BulkAction.State.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that the server refuses to move hold up no bulk action. */
class BulkActionRefusedTest extends BulkActionRooms {

    BulkActionRefusedTest(TestDatabase test) {
        super(test);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"BEFORE DELETE ON rowlock.dead", "AFTER DELETE ON rowlock.dead DEFERRABLE INITIALLY DEFERRED"})
    void aJobThatATriggerRefusesIsPassedOverAndTheOthersAreDone(String when) {
        long first = dead(50, Rooms.QUEUE);
        long bad = first + 17;
        refuse(when, "OLD.id = " + bad, "RAISE EXCEPTION 'not this one'");

        long id = admin.by("ann", "mail is back").redrive(MAIL).id();
        doAll();

        BulkAction action = admin.bulkAction(id).orElseThrow();
        assertThat(action.state()).isEqualTo(FINISHED);
        assertThat(action.done()).isEqualTo(49);
        assertThat(action.refused()).isEqualTo(1);
        assertThat(action.refusal()).isEqualTo("P0001: not this one");
        AuditEntry line = admin.audit(null, 1).get(0);
        assertThat(line.jobs()).isEqualTo(49);
        assertThat(line.refused()).isEqualTo(1);
        assertThat(line.refusal()).isEqualTo("P0001: not this one");
        assertThat(rooms.count("waiting")).isEqualTo(49);
        assertThat(rooms.roomsOf(bad)).containsExactly("dead");
    }

    @Test
    void aPurgePassesOverReadyJobsThatAreRefused() {
        long[] ready = rooms.ready(20);
        refuse("BEFORE DELETE ON rowlock.ready", "OLD.id = " + ready[0], "RAISE EXCEPTION 'not this one'");

        long id = admin.purge(Rooms.QUEUE).id();
        doAll();

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(FINISHED);
            assertThat(action.done()).isEqualTo(19);
            assertThat(action.refused()).isEqualTo(1);
        });
        assertThat(rooms.count("done")).isEqualTo(19);
    }

    @Test
    void anActionEndsThoughAllItsJobsAreRefused() {
        dead(250, Rooms.QUEUE);
        dead(1, "print");
        refuse("BEFORE DELETE ON rowlock.dead", "OLD.queue = 'mail'", "RAISE EXCEPTION 'no mail'");

        long refused = admin.redrive(MAIL).id();
        long other = admin.redrive(JobFilter.where().queue("print")).id();
        doAll();

        assertThat(admin.bulkAction(refused)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(FINISHED);
            assertThat(action.done()).isZero();
            assertThat(action.refused()).isEqualTo(250);
        });
        assertThat(admin.bulkAction(other)).map(BulkAction::done).contains(1L);
        assertThat(rooms.count("dead")).isEqualTo(250);
    }

    @Test
    void aRefusedJobBehindALockedOneIsCountedOnce() throws Exception {
        long first = dead(10, Rooms.QUEUE);
        refuse("BEFORE DELETE ON rowlock.dead", "OLD.id = " + (first + 7), "RAISE EXCEPTION 'not this one'");
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction other = new OpenTransaction(database)) {
            FrontDoors.admin(other.database(), wakeups).changePriority(first + 2, 5);
            DoBulkBatch batch = new DoBulkBatch(database);
            for (int i = 0; i < 3; i++) {
                batch.run();
            }
            assertThat(admin.bulkAction(id)).map(BulkAction::state).contains(RUNNING);
            other.rollback();
        }
        doAll();

        assertThat(admin.bulkAction(id)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(FINISHED);
            assertThat(action.done()).isEqualTo(9);
            assertThat(action.refused()).isEqualTo(1);
        });
    }

    @Test
    void whatIsInAJobIsNotInItsRefusal() {
        dead(3, Rooms.QUEUE);
        refuse("BEFORE DELETE ON rowlock.dead", "true", "PERFORM (OLD.type || 'secret')::int");

        long id = admin.discard(MAIL).id();
        doAll();

        assertThat(admin.bulkAction(id)).map(BulkAction::refusal).contains("22P02");
        assertThat(admin.audit(null, 1).get(0).refusal()).isEqualTo("22P02");
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk_full", "admin_shutdown", "connection_failure", "undefined_column"})
    void whereNoJobIsToBlameTheActionIsTriedAgainLaterAndOthersGoOn(String condition) {
        dead(5, Rooms.QUEUE);
        dead(1, "print");
        refuse("BEFORE DELETE ON rowlock.dead", "OLD.queue = 'mail'", "RAISE " + condition);
        long refused = admin.redrive(MAIL).id();
        long other = admin.redrive(JobFilter.where().queue("print")).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        assertThatThrownBy(batch::run).isInstanceOfSatisfying(DoBulkBatch.BatchFailedException.class, e -> {
            assertThat(e.bulkActionId()).isEqualTo(refused);
            batch.postpone(e.bulkActionId());
        });
        batch.run();

        assertThat(admin.bulkAction(other)).map(BulkAction::state).contains(FINISHED);
        assertThat(admin.bulkAction(refused)).hasValueSatisfying(action -> {
            assertThat(action.state()).isEqualTo(RUNNING);
            assertThat(action.done() + action.refused()).isZero();
        });
        assertThat(rooms.count("dead")).isEqualTo(5);
    }
}
