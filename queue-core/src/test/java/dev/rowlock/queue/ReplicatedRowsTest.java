package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

/** A server that has got the rows by logical replication, which leaves out sequences. */
@PostgresTest(migrated = true, freshPerTest = true)
class ReplicatedRowsTest {

    record Greeting(String to) {}

    private final TestDatabase test;
    private final Rooms before;

    ReplicatedRowsTest(TestDatabase test) {
        this.test = test;
        before = Rooms.emptyIn(test);
    }

    @Test
    void noIdAndNoTokenComesTwice() {
        rowsWithHighNumbers();
        ClaimedJob claimed = before.running();
        new Measurements(before.database()).database();
        before.complete(claimed, false);
        long node = before.number("SELECT max(id) FROM rowlock.node");
        before.execute("DELETE FROM rowlock.node");
        sequencesAsTheMigrationLeftThem();

        try (Rowlock rowlock = Rowlocks.quick(test.dataSource()).build()) {
            assertThat(rowlock.jobs().enqueue(new Greeting("new"))).isGreaterThan(claimed.id());
        }
        Rooms after = Rooms.in(test.unpooled(), before.database().schema());
        assertThat(after.node()).isGreaterThan(node);
        assertThat(after.running().claim().token())
                .isGreaterThan(claimed.claim().token());
    }

    @Test
    void noIdComesTwiceFromSql() {
        rowsWithHighNumbers();
        new Measurements(before.database()).database();
        sequencesAsTheMigrationLeftThem();

        assertThat(before.number("SELECT rowlock.enqueue('send', '{}'::json)")).isGreaterThan(9_000_000_000L);
    }

    /** As after some failovers, each of which lets them move on by a billion: more than the next billion would pass over. */
    private void rowsWithHighNumbers() {
        before.number("SELECT setval('rowlock.job_id', 9000000000)");
        before.number("SELECT setval('rowlock.claim_token', 9000000000)");
        before.number("SELECT setval('rowlock.node_id', 9000000000)");
    }

    private void sequencesAsTheMigrationLeftThem() {
        before.number("SELECT setval('rowlock.job_id', 1)");
        before.number("SELECT setval('rowlock.claim_token', 1)");
        before.number("SELECT setval('rowlock.node_id', 1)");
    }
}
