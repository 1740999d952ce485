package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.Holder;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job that a call may change does not start between the call's look and its change. */
@PostgresTest(migrated = true)
class LookLocksTest {

    private final Rooms rooms;

    LookLocksTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    @Test
    void aJobThatACallHasLookedAtIsNotClaimedBeforeTheCallHasChangedIt() throws Exception {
        long id = rooms.ready();
        rooms.execute("INSERT INTO rowlock.unique_key (type, key, job_id) VALUES ('send', 'doc-7', %d)".formatted(id));

        try (OpenTransaction looking = new OpenTransaction(rooms.database())) {
            List<Holder> holders = looking.database()
                    .joined(connection -> new UniqueKeyStatements(
                                    rooms.database().schema())
                            .holders(
                                    connection,
                                    List.of(Rooms.job(UniqueKey.of("doc-7").replacing(), null))));

            assertThat(holders).containsExactly(new Holder(id, false, true, true, true));
            assertThat(rooms.claim(rooms.node(), 1)).isEmpty();
            looking.rollback();
        }

        assertThat(rooms.claim(rooms.node(), 1)).hasSize(1);
    }
}
