package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch of a bulk action reads by index, whatever the statistics say. */
class BulkActionPlansTest extends BulkActionRooms {

    private final TestDatabase test;

    BulkActionPlansTest(TestDatabase test) {
        super(test);
        this.test = test;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchReadsItsStretchAndItsJobsByIndexWhateverTheStatisticsSay(boolean stale) throws Exception {
        dead(15_000, Rooms.QUEUE);
        rooms.fill(8_000, rooms.node());
        rooms.execute("ANALYZE rowlock.dead, rowlock.waiting, rowlock.ready");
        if (stale) {
            rooms.believeEmptied("dead", "waiting", "ready");
        }
        try (ExplainedDatabase explained = new ExplainedDatabase(test, database.schema(), Plans.CUSTOM)) {
            admin.redrive(MAIL);
            new DoBulkBatch(explained.database()).run();
            admin.purge(Rooms.QUEUE);
            new DoBulkBatch(explained.database()).run();

            assertThat(explained.plans())
                    .filteredOn(plan -> plan.contains("taken"))
                    .hasSize(2)
                    .allSatisfy(plan -> assertThat(plan)
                            .doesNotContain("Seq Scan on dead", "Seq Scan on waiting", "Seq Scan on ready"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void jobsThatAreKnownByTheirIdsAreReadByIndexWhateverTheStatisticsSay(boolean stale) throws Exception {
        rooms.fill(8_000, rooms.node());
        long first = dead(15_000, Rooms.QUEUE);
        refuse("BEFORE DELETE ON rowlock.dead", "OLD.id = " + (first + 3), "RAISE EXCEPTION 'not this one'");
        rooms.execute("ANALYZE rowlock.dead, rowlock.waiting, rowlock.ready");
        if (stale) {
            rooms.believeEmptied("dead", "waiting", "ready");
        }
        try (ExplainedDatabase explained = new ExplainedDatabase(test, database.schema(), Plans.CUSTOM)) {
            DoBulkBatch batch = new DoBulkBatch(explained.database());
            admin.redrive(MAIL);
            batch.run(); // the server refuses one: moved in parts
            rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1");
            batch.run();
            rooms.execute("UPDATE rowlock.bulk_action SET after_id = last_id, locked_ids = '{%d, %d}'"
                    .formatted(first + 5_000, first + 6_000));
            batch.run();
            admin.purge(Rooms.QUEUE);
            rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1 WHERE kind = 'cancel'");
            batch.run();

            assertThat(explained.plans()).anyMatch(plan -> plan.contains("LockRows") && plan.contains("CTE matching"));
            assertThat(explained.plans())
                    .filteredOn(plan -> plan.contains("on dead") || plan.contains("on waiting"))
                    .hasSizeGreaterThan(12)
                    .allSatisfy(plan -> assertThat(plan)
                            .doesNotContain("Seq Scan on dead", "Seq Scan on waiting", "Seq Scan on ready"));
        }
    }
}
