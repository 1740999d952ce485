package dev.rowlock.queue;

import static dev.rowlock.queue.operate.BulkAction.State.CANCELLED;
import static dev.rowlock.queue.operate.BulkAction.State.FINISHED;
import static dev.rowlock.queue.operate.BulkAction.State.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bulk action walks on behind jobs that somebody else has locked, and comes back to them in the end. */
class BulkActionLockedTest extends BulkActionRooms {

    BulkActionLockedTest(TestDatabase test) {
        super(test);
    }

    @Test
    void jobsFarBehindALockedOneDoNotWaitForIt() throws Exception {
        long first = dead(1, Rooms.QUEUE);
        dead(10_500, "print");
        long last = dead(1, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, "SELECT FROM rowlock.dead WHERE id = " + first + " FOR UPDATE");
            batches(4);
            assertThat(progress(id)).isEqualTo(tuple(RUNNING, 1L));
            assertThat(rooms.roomsOf(last)).containsExactly("waiting");
            other.rollback();
        }
        batches(2);

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2L));
        assertThat(rooms.roomsOf(first)).containsExactly("waiting");
    }

    @Test
    void withMoreLockedJobsThanItRemembersItWaitsForOneAndDoesEachOnce() throws Exception {
        dead(1_300, Rooms.QUEUE);
        dead(5, "print");
        dead(20, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, "SELECT FROM rowlock.dead WHERE queue = 'mail' ORDER BY id LIMIT 1200 FOR UPDATE");
            batches(6);
            assertThat(progress(id).toList().get(0)).isEqualTo(RUNNING);
            assertThat(rooms.number("SELECT cardinality(locked_ids) FROM rowlock.bulk_action"))
                    .isEqualTo(1_000);
            other.rollback();
        }
        batches(6);

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 1_320L));
        assertThat(rooms.count("waiting")).isEqualTo(1_320);
        assertThat(admin.audit(null, 1).get(0).jobs()).isEqualTo(1_320);
    }

    @ParameterizedTest
    @CsvSource({"UPDATE rowlock.dead SET queue = 'print', 1", "DELETE FROM rowlock.dead, 0"})
    void aLockedJobThatIsNoneOfItsWhenItIsFreeIsLeftAlone(String change, long stays) throws Exception {
        long first = dead(3, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, change + " WHERE id = " + first);
            batches(2);
            other.commit();
        }
        batches(2);

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2L));
        assertThat(rooms.count("dead")).isEqualTo(stays);
    }

    @Test
    void anActionThatIsCancelledLeavesItsLockedJobsAsTheyAre() throws Exception {
        long first = dead(3, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, "SELECT FROM rowlock.dead WHERE id = " + first + " FOR UPDATE");
            batches(2);
            admin.cancelBulkAction(id);
            other.rollback();
        }
        batches(2);

        assertThat(progress(id)).isEqualTo(tuple(CANCELLED, 2L));
        assertThat(rooms.roomsOf(first)).containsExactly("dead");
    }

    @Test
    void aLockedJobThatTheServerRefusesAfterwardsIsCountedOnceAndTheOthersAreDone() throws Exception {
        long first = dead(10, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();
        refuse("BEFORE DELETE ON rowlock.dead", "OLD.id = " + (first + 2), "RAISE EXCEPTION 'not this one'");

        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, "SELECT FROM rowlock.dead WHERE id < " + (first + 5) + " FOR UPDATE");
            batches(3);
            other.rollback();
        }
        batches(3);

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 9L));
        assertThat(admin.bulkAction(id)).map(BulkAction::refused).contains(1L);
    }

    @Test
    void atARateLockedJobsComeAtThatRateToo() throws Exception {
        dead(30, Rooms.QUEUE);
        long id = admin.redrive(MAIL, 40).id();
        try (OpenTransaction other = new OpenTransaction(database)) {
            in(other, "SELECT FROM rowlock.dead FOR UPDATE");
            batches(5);
            other.rollback();
        }

        batches(1);

        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 10L));
    }

    private void batches(int most) {
        DoBulkBatch batch = new DoBulkBatch(database);
        for (int i = 0; i < most; i++) {
            batch.run();
        }
    }

    private static void in(OpenTransaction other, String sql) {
        other.database().alone(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }
}
