package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;

/** Many dead jobs, and an operator whose bulk actions a test does batch by batch, or to the end. */
@PostgresTest(migrated = true)
abstract class BulkActionRooms {

    static final JobFilter MAIL = JobFilter.where().queue(Rooms.QUEUE);

    final Rooms rooms;
    final Database database;
    final RecordedWakeups wakeups = new RecordedWakeups();
    final JobAdmin admin;

    BulkActionRooms(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        database = rooms.database();
        admin = FrontDoors.admin(database, wakeups);
    }

    void doAll() {
        DoBulkBatch batch = new DoBulkBatch(database);
        for (int i = 0; i < 100 && batch.run().isPresent(); i++) {
            // until nothing is left
        }
    }

    Tuple progress(long id) {
        BulkAction action = admin.bulkAction(id).orElseThrow();
        return tuple(action.state(), action.done());
    }

    /** Returns the id of the first; the others follow. */
    long dead(int jobs, String queue) {
        long first = rooms.number("SELECT nextval('rowlock.job_id')") + 1;
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 0, 1, 0, 'dead', '%s', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(queue, jobs));
        return first;
    }

    /** Until {@link #allowAll}, as somebody's trigger may: {@code refuse("BEFORE DELETE ON rowlock.dead", "OLD.id = 7", "RAISE disk_full")}. */
    void refuse(String when, String which, String how) {
        rooms.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF %s THEN %s; END IF;
                    RETURN OLD;
                END $$
                """.formatted(which, how));
        rooms.execute("CREATE %s TRIGGER refuse %s FOR EACH ROW EXECUTE FUNCTION refuse()"
                .formatted(when.contains("DEFERRED") ? "CONSTRAINT" : "", when));
    }

    @AfterEach
    void allowAll() {
        rooms.execute("DROP FUNCTION IF EXISTS refuse() CASCADE");
    }
}
