package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.ReadWorkflows.Ended;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest(migrated = true)
class FindEndedWorkflowsTest {

    private final TestDatabase test;
    private final Rooms rooms;

    FindEndedWorkflowsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
    }

    @Test
    void onlyThoseThatDoNotRunAreFound() {
        rooms.execute(
                "INSERT INTO rowlock.workflow (id, name, state) VALUES (1, 'w', 'running'), (2, 'w', 'cancelling'),"
                        + " (3, 'w', 'completed'), (4, 'w', 'failed'), (5, 'w', 'cancelled')");

        assertThat(new ReadWorkflows(rooms.database()).ended(new long[] {1, 2, 3, 4, 5, 6}))
                .containsExactlyInAnyOrder(
                        new Ended(3, "completed"),
                        new Ended(4, "failed"),
                        new Ended(5, "cancelled"),
                        new Ended(6, null));
    }

    @ParameterizedTest
    @EnumSource(
            value = Plans.class,
            names = {"CUSTOM", "GENERIC"})
    void eachIsLookedForByItsIdAlsoWhereThePlanIsOfAnEmptyTable(Plans plans) throws Exception {
        rooms.execute("VACUUM ANALYZE rowlock.workflow");
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
            ReadWorkflows find = new ReadWorkflows(explained.database());
            find.ended(new long[] {1});
            rooms.execute("INSERT INTO rowlock.workflow (id, name) SELECT i, 'w' FROM generate_series(1, 20000) AS i");

            find.ended(LongStream.rangeClosed(1, 50).toArray());

            assertThat(explained.lastPlan()).contains("workflow_pkey").doesNotContain("Seq Scan");
        }
    }
}
