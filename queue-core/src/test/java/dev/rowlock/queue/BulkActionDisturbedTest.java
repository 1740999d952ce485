package dev.rowlock.queue;

import static dev.rowlock.queue.operate.BulkAction.State.FINISHED;
import static dev.rowlock.queue.operate.BulkAction.State.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.internal.operate.DoBulkBatch.Done;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A bulk action ends, and forgets no job, though batches die, others hold its locks, or jobs come back. */
class BulkActionDisturbedTest extends BulkActionRooms {

    BulkActionDisturbedTest(TestDatabase test) {
        super(test);
    }

    @Test
    void aBatchThatIsNotCommittedHasNotHappened() throws Exception {
        dead(2_000, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction dying = new OpenTransaction(database)) {
            new DoBulkBatch(dying.database()).run();
            dying.rollback(); // as the server does when the node's connection breaks
        }

        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 0L));
        assertThat(rooms.count("dead")).isEqualTo(2_000);
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2_000L));
        assertThat(rooms.count("waiting")).isEqualTo(2_000);
    }

    @Test
    void aNodeLeavesAnActionToTheOneThatWorksOnIt() throws Exception {
        dead(1_500, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        Optional<Done> ours;
        try (OpenTransaction other = new OpenTransaction(database)) {
            new DoBulkBatch(other.database()).run();
            ours = new DoBulkBatch(database).run();
            other.commit();
        }

        assertThat(ours).isEmpty();
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 1_500L));
        assertThat(rooms.count("waiting")).isEqualTo(1_500);
    }

    @Test
    void aJobThatSomebodyElseHasLockedIsNotForgotten() throws Exception {
        dead(10, Rooms.QUEUE);
        long locked = rooms.number("SELECT min(id) + 3 FROM rowlock.dead");
        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        Optional<Done> behind;
        try (OpenTransaction other = new OpenTransaction(database)) {
            FrontDoors.admin(other.database(), wakeups).changePriority(locked, 5);
            batch.run();
            behind = batch.run();
            other.rollback();
        }

        assertThat(behind).contains(new Done(id, 0, false, false, true));
        assertThat(rooms.count("waiting")).isEqualTo(9);
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 10L));
    }

    @Test
    void aRedriveEndsThoughItsJobsDieAgainAtOnce() throws Exception {
        dead(30, Rooms.QUEUE);
        long locked = rooms.number("SELECT min(id) FROM rowlock.dead");
        long id = admin.redrive(MAIL).id();
        rooms.execute("""
                CREATE OR REPLACE FUNCTION die_again() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    DELETE FROM rowlock.waiting WHERE id = NEW.id;
                    INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                    VALUES (NEW.id, clock_timestamp(), now(), 0, 1, 0, 'dead', NEW.queue, NEW.type, NEW.payload);
                    RETURN NULL;
                END $$
                """);
        rooms.execute(
                "CREATE TRIGGER die_again AFTER INSERT ON rowlock.waiting FOR EACH ROW EXECUTE FUNCTION die_again()");

        try {
            DoBulkBatch batch = new DoBulkBatch(database, 10);
            try (OpenTransaction other = new OpenTransaction(database)) {
                FrontDoors.admin(other.database(), wakeups).changePriority(locked, 5);
                for (int i = 0; i < 5; i++) {
                    batch.run(); // looks again at all behind the one that is locked
                }
                other.rollback();
            }
            for (int i = 0; i < 5; i++) {
                batch.run();
            }

            assertThat(progress(id)).isEqualTo(tuple(FINISHED, 30L));
        } finally {
            rooms.execute("DROP TRIGGER die_again ON rowlock.waiting");
        }
    }
}
