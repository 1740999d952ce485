package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A step that runs after hundreds of others: each of their ends costs little, in whatever order they come, and is decided about at once where it matters. */
@PostgresTest(freshPerTest = true, migrated = true)
class ManyParentsTest {

    private static final int PARENTS = 300;

    /** To look at all parents whenever one ends takes three thousand. */
    private static final int PAGES_PER_END = 60;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    enum Order {
        FORWARD,
        BACKWARD,
        SHUFFLED;

        List<Integer> steps() {
            List<Integer> steps =
                    new ArrayList<>(IntStream.range(0, PARENTS).boxed().toList());
            switch (this) {
                case FORWARD -> {}
                case BACKWARD -> Collections.reverse(steps);
                case SHUFFLED -> Collections.shuffle(steps, new Random(7));
            }
            return steps;
        }
    }

    private final TestDatabase test;
    private final Rooms rooms;

    ManyParentsTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void create() {
        rooms.execute("ALTER TABLE rowlock.workflow_job SET (autovacuum_enabled = off)");
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (7, 'w')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                SELECT 7, n, 's' || n, CASE WHEN n < %1$d THEN 'released' ELSE 'waiting' END, false FROM generate_series(0, %1$d) AS n
                """.formatted(PARENTS));
        rooms.execute(
                "INSERT INTO rowlock.workflow_edge SELECT 7, n, %1$d, 'success' FROM generate_series(0, %1$d - 1) AS n"
                        .formatted(PARENTS));
        rooms.execute(
                "INSERT INTO rowlock.workflow_job SELECT n, 7, n FROM generate_series(0, %d) AS n".formatted(PARENTS));
    }

    private void ended(DecideSteps decide, int step, int state) {
        rooms.execute("UPDATE rowlock.workflow_job SET state = %d WHERE job_id = %d".formatted(state, step));
        decide.after(List.of(new Touched(new StepKey(7, step), state != 2, false)), 20);
    }

    private String child() {
        return JdbcClient.create(test.dataSource())
                .sql("SELECT state FROM rowlock.workflow_step WHERE step_no = ?")
                .param(PARENTS)
                .query(String.class)
                .single();
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void theyAreNotAllLookedAtWheneverOneEnds(Order order) throws Exception {
        List<Integer> steps = order.steps();
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.AUTO)) {
            DecideSteps decide = new DecideSteps(explained.database());

            steps.subList(0, PARENTS - 1).forEach(step -> ended(decide, step, 2));

            assertThat(child()).isEqualTo("waiting");
            int pages =
                    explained.plans().stream().mapToInt(ManyParentsTest::pages).sum();
            assertThat(pages / (PARENTS - 1)).isLessThan(PAGES_PER_END);
            ended(decide, steps.get(PARENTS - 1), 2);
        }
        assertThat(child()).isEqualTo("released");
    }

    @Test
    void aFailureIsDecidedAboutAtOnceAlthoughTheOthersStillRun() {
        DecideSteps decide = new DecideSteps(rooms.database());
        ended(decide, 3, 2);
        assertThat(child()).isEqualTo("waiting");

        ended(decide, 5, 1);

        assertThat(child()).isEqualTo("skipping");
    }

    @Test
    void theEndOfAStepInWhichAJobHadFailedBeforeIsDecidedAboutAtOnce() {
        DecideSteps decide = new DecideSteps(rooms.database());
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, state) VALUES (9999, 7, 5, 1)");

        ended(decide, 5, 2);

        assertThat(child()).isEqualTo("skipping");
    }

    @Test
    void aStepThatRunsAfterTheirFailureIsDecidedAboutAtOnceWhenThatCannotCome() {
        rooms.execute("UPDATE rowlock.workflow_edge SET runs_after = 'failure' WHERE parent_no = 5");
        DecideSteps decide = new DecideSteps(rooms.database());

        ended(decide, 5, 2);

        assertThat(child()).isEqualTo("skipping");
    }

    /** Those of the whole plan stand first. */
    private static int pages(String plan) {
        Matcher pages = PAGES.matcher(plan);
        return pages.find()
                ? Integer.parseInt(pages.group(1)) + (pages.group(2) == null ? 0 : Integer.parseInt(pages.group(2)))
                : 0;
    }
}
