package dev.rowlock.queue.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Meters of policies and of workflows, of a node that runs both. */
@PostgresTest(freshPerTest = true, migrated = true)
class FeatureMetersTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Chosen(String name) {}

    record Step(boolean fails) {}

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Measurements measure;
    private final Rowlock rowlock;
    private final NodeMetrics node;
    private final DatabaseMetrics database;
    private volatile boolean chooses;
    private volatile boolean throwsErrors;

    FeatureMetersTest(TestDatabase test) {
        this.measure = new Measurements(new Database(test.dataSource(), new Schema("rowlock")));
        this.rowlock = FrontDoors.quickPolicies(Rowlock.builder(test.dataSource()))
                .keepAlive(false)
                .policy(new AdmissionPolicy() {
                    @Override
                    public String queue() {
                        return "chosen";
                    }

                    @Override
                    public Admission admit(AdmissionRequest request) {
                        return answer(request);
                    }
                })
                .listener(Chosen.class, o -> o.queue("chosen"), (chosen, job) -> {})
                .listener(Step.class, (step, job) -> {
                    if (step.fails()) {
                        throw new DoNotRetryException("fails");
                    }
                })
                .build();
        this.node = new NodeMetrics(rowlock, registry);
        this.database = new DatabaseMetrics(rowlock.search(), registry);
    }

    private Admission answer(AdmissionRequest request) {
        if (throwsErrors) {
            throw new IllegalStateException("planted");
        }
        return Admission.of(request.jobs().stream()
                .filter(job -> chooses)
                .limit(request.room())
                .map(WaitingJob::id)
                .toList());
    }

    @AfterEach
    void close() {
        node.close();
        database.close();
        rowlock.close();
    }

    @Test
    void answersOfAPolicyAreCountedAndWhatWaitsForIt() {
        rowlock.start();
        for (int i = 0; i < 3; i++) {
            rowlock.jobs().enqueue(new Chosen("waits " + i), o -> o.queue("chosen"));
        }

        await().atMost(LONG).until(() -> gauge("rowlock.policy.held.jobs", "queue", "chosen") == 3);
        assertThat(gauge("rowlock.policy.decides", "queue", "chosen")).isEqualTo(1);
        node.refresh();
        await().atMost(LONG).until(() -> answers("good") > 0);
        assertThat(answers("bad")).isZero();
        assertThat(registry.get("rowlock.policy.jobs")
                        .tag("queue", "chosen")
                        .functionCounter()
                        .count())
                .isZero();

        chooses = true;
        await().atMost(LONG)
                .until(() ->
                        registry.get("rowlock.policy.jobs").functionCounter().count() == 3);
        await().atMost(LONG).until(() -> gauge("rowlock.policy.held.jobs", "queue", "chosen") == 0);

        throwsErrors = true;
        rowlock.jobs().enqueue(new Chosen("met by an error"), o -> o.queue("chosen"));
        await().atMost(LONG).until(() -> answers("bad") > 0);
        await().atMost(LONG).until(() -> gauge("rowlock.policy.decides", "queue", "chosen") == 0);
    }

    @Test
    void openWorkflowsAndThoseThatFailedAreCounted() {
        long open = rowlock.workflows().start(Workflow.named("open").each("rows", List.of(), s -> s.open()));
        long failed = rowlock.workflows().start(Workflow.named("fails").step("one", new Step(true)));
        measure.features();
        assertThat(gauge("rowlock.workflows", "state", "running")).isEqualTo(2);

        rowlock.start();
        await().atMost(LONG)
                .until(() ->
                        rowlock.workflows().find(failed).orElseThrow().summary().state() == WorkflowState.FAILED);

        await().atMost(LONG).until(() -> gauge("rowlock.workflows", "state", "failed") == 1);
        assertThat(gauge("rowlock.workflows", "state", "running")).isEqualTo(1);
        await().atMost(LONG).until(() -> gauge("rowlock.workflow.steps.moving") == 0);
        node.refresh();
        assertThat(registry.get("rowlock.chore.behind")
                        .tag("chore", "workflow sweep")
                        .gauge()
                        .value())
                .isBetween(0.0, 100.0);
        rowlock.workflows().close(open, "rows");
        await().atMost(LONG).until(() -> gauge("rowlock.workflows", "state", "running") == 0);
    }

    /** As if it had just been measured. */
    private double gauge(String name, String... tags) {
        measure.features();
        database.refresh();
        return registry.get(name).tags(tags).gauge().value();
    }

    private double answers(String result) {
        node.refresh();
        return registry.get("rowlock.policy.answers")
                .tags("queue", "chosen", "result", result)
                .functionCounter()
                .count();
    }
}
