package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.NoSuchStepException;
import dev.rowlock.queue.workflow.NoSuchWorkflowException;
import dev.rowlock.queue.workflow.Workflow;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Jobs read the results of steps that have ended before them; whoever names another step is told. */
class WorkflowResultsTest extends WorkflowNodes {

    /** Reads the results of these steps. */
    record Read(List<String> steps) {}

    private final Map<String, Object> answers = new ConcurrentHashMap<>();

    WorkflowResultsTest(TestDatabase database) {
        super(database);
    }

    private long run(Workflow workflow) {
        Rowlock reader = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(doubling())
                .listener(Task.class, (task, job) -> {})
                .listener(Read.class, this::read));
        reader.start();
        long id = workflows.start(workflow);
        ended(id);
        return id;
    }

    private void read(Read read, JobContext job) {
        for (String step : read.steps()) {
            answers.put(step, answer(() -> workflows.results(job, step, Integer.class)));
            answers.put("one " + step, answer(() -> workflows.result(job, step, Integer.class)));
        }
    }

    private static Object answer(Supplier<Object> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException | IllegalStateException e) {
            return e;
        }
    }

    private void assertRefused(String step, Class<?> type, String message) {
        for (Object answer : List.of(answers.get(step), answers.get("one " + step))) {
            assertThat(answer).isInstanceOf(type);
            assertThat(((Exception) answer).getMessage()).isEqualTo(message);
        }
    }

    @Test
    void stepsThatRunBeforeAreReadHoweverFarAway() {
        run(Workflow.named("far")
                .step("q", new Sum(1))
                .step("between", new Task("between"), s -> s.after("q"))
                .step("near", new Sum(2), s -> s.after("between"))
                .step("j", new Read(List.of("q", "near")), s -> s.after("near")));

        assertThat(answers).isEqualTo(Map.of("q", List.of(2), "one q", 2, "near", List.of(4), "one near", 4));
    }

    @Test
    void aStepThatThereIsNotIsRefusedWithTheNamesOfTheOthers() {
        long id =
                run(Workflow.named("typo").step("q", new Sum(1)).step("j", new Read(List.of("qq")), s -> s.after("q")));

        assertRefused("qq", NoSuchStepException.class, "workflow %d has no step 'qq'; it has [q, j]".formatted(id));
    }

    @Test
    void aStepThatMayRunLaterIsRefusedAlsoIfItHasEnded() {
        long id = run(Workflow.named("beside")
                .step("beside", new Sum(1))
                .step("q", new Sum(1), s -> s.after("beside"))
                .step("other", new Sum(1), s -> s.after("beside"))
                .step("j", new Read(List.of("other", "j", "beside")), s -> s.after("q")));

        assertRefused(
                "other",
                IllegalArgumentException.class,
                "step 'j' of workflow %d does not run after step 'other', so only timing decides which of its results are there: add after('other') to step 'j'"
                        .formatted(id));
        assertRefused(
                "j",
                IllegalArgumentException.class,
                "a job cannot read results of its own step 'j', whose other jobs may still run: read them in a step with after('j')");
        assertThat(answers).containsEntry("beside", List.of(2));
    }

    @Test
    void aJobOfNoWorkflowHasNoStepsToRead() {
        Rowlock reader = rowlocks.built(Rowlocks.quick(database.dataSource()).listener(Read.class, this::read));
        reader.start();
        reader.jobs().enqueue(new Read(List.of("q")));

        await().atMost(LONG).until(() -> answers.size() == 2);
        assertThat(answers.get("q"))
                .isInstanceOfSatisfying(
                        IllegalStateException.class, e -> assertThat(e).hasMessageContaining("belongs to no workflow"));
    }

    /** Who returns null, or does not keep what it returns, is not passed over: the list would lack something. */
    @Test
    void aCompletedJobWithoutAResultIsAnError() {
        run(Workflow.named("none")
                .step("silent", new Task("silent"))
                .step("j", new Read(List.of("silent")), s -> s.after("silent")));

        assertThat(answers.get("silent"))
                .isInstanceOfSatisfying(
                        IllegalStateException.class, e -> assertThat(e).hasMessageContaining("nothing is kept"));
    }

    @Test
    void toAddToAStepThatThereIsNotNamesTheOthers() {
        Workflow rows = Workflow.named("import").each("rows", List.of(), s -> s.open());
        for (int i = 0; i < 20; i++) {
            rows.step("s" + i, new Task("t"), s -> s.after("rows"));
        }
        long id = workflows.start(rows);

        assertThatThrownBy(() -> workflows.add(id, "rowz", List.of(new Task("a"))))
                .isInstanceOf(NoSuchStepException.class)
                .hasMessage(
                        "workflow %d has no step 'rowz'; it has [rows, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, ...]",
                        id);
        assertThatThrownBy(() -> workflows.add(id + 1_000, "rows", List.of(new Task("a"))))
                .isInstanceOf(NoSuchWorkflowException.class);
    }
}
