package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The end of one job costs the same, however many others its step has, and however many of these have ended before it. */
@PostgresTest(freshPerTest = true, migrated = true)
class WideStepsTest {

    private static final long NARROW = 1;
    private static final long WIDE = 2;
    private static final int JOBS = 10_000;

    /** An index of ten thousand rows is a page deeper than one of ten. */
    private static final int DEEPER = 10;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private final TestDatabase test;
    private final Rooms rooms;

    WideStepsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        // Each end leaves a version of its row, which is to be there.
        rooms.execute("ALTER TABLE rowlock.workflow_job SET (autovacuum_enabled = off)");
        workflow(NARROW, 10);
        workflow(WIDE, JOBS);
    }

    /** One step, and one that runs after it. */
    private void workflow(long id, int jobs) {
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (%d, 'w')".formatted(id));
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                VALUES (%1$d, 0, 'first', 'released', false), (%1$d, 1, 'last', 'waiting', false)
                """.formatted(id));
        rooms.execute("INSERT INTO rowlock.workflow_edge VALUES (%d, 0, 1, 'success')".formatted(id));
        rooms.execute(
                "INSERT INTO rowlock.workflow_job SELECT %1$d * 100000 + n, %1$d, 0 FROM generate_series(1, %2$d) AS n"
                        .formatted(id, jobs));
        rooms.execute("INSERT INTO rowlock.workflow_job VALUES (%1$d * 100000, %1$d, 1)".formatted(id));
    }

    @Test
    void theEndOfOneJobCostsTheSameWhateverTheWidth() throws Exception {
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.AUTO)) {
            Node node = new Node(explained);
            node.ended(NARROW, 1, 1);
            Cost narrow = node.ended(NARROW, 2, 1);
            node.ended(WIDE, 1, 1);

            Cost front = node.ended(WIDE, 2, 1);
            node.ended(WIDE, 3, JOBS - 1_000);
            Cost late = node.ended(WIDE, JOBS - 990, 1);

            assertAsCheap(narrow, front, late);
        }
    }

    @Test
    void itCostsTheSameWhereJobsEndFromTheBack() throws Exception {
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.AUTO)) {
            Node node = new Node(explained);
            node.ended(NARROW, 1, 1);
            Cost narrow = node.ended(NARROW, 2, 1);
            node.ended(WIDE, 1_001, JOBS - 1_000);

            Cost other = node.ended(WIDE, 500, 1);
            Cost last = node.ended(WIDE, 1_000, 1); // where looks begin
            Cost next = node.ended(WIDE, 400, 1);

            assertAsCheap(narrow, other, last, next);
        }
    }

    private static void assertAsCheap(Cost narrow, Cost... wide) {
        assertThat(wide).allSatisfy(cost -> {
            assertThat(cost.statements()).isEqualTo(narrow.statements());
            assertThat(cost.pages()).isLessThanOrEqualTo(narrow.pages() + DEEPER);
        });
    }

    private record Cost(int statements, int pages) {}

    /** What remembers something from one round to the next. */
    private final class Node {

        private final ExplainedDatabase explained;
        private final NoteEnds note;
        private final DecideSteps decide;
        private final EndWorkflows end;

        Node(ExplainedDatabase explained) {
            this.explained = explained;
            this.note = new NoteEnds(explained.database());
            this.decide = new DecideSteps(explained.database());
            this.end = new EndWorkflows(explained.database());
        }

        /** So many jobs have ended, from this one on; the node hears of it. */
        Cost ended(long workflow, int first, int jobs) {
            long from = workflow * 100_000 + first;
            rooms.execute("""
                    INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                    SELECT n, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed' FROM generate_series(%d, %d) AS n
                    """.formatted(from, from + jobs - 1));
            int before = explained.plans().size();

            List<Touched> touched =
                    note.alone(LongStream.range(from, from + jobs).boxed().toList());
            decide.after(touched, 20);
            end.run(List.of(workflow));

            assertThat(touched).hasSize(1);
            List<String> plans =
                    explained.plans().subList(before, explained.plans().size());
            return new Cost(
                    plans.size(), plans.stream().mapToInt(WideStepsTest::pages).sum());
        }
    }

    /** Those of the whole plan stand first. */
    private static int pages(String plan) {
        Matcher pages = PAGES.matcher(plan);
        return pages.find()
                ? Integer.parseInt(pages.group(1)) + (pages.group(2) == null ? 0 : Integer.parseInt(pages.group(2)))
                : 0;
    }
}
