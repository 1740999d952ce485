package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.StepOptions;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workflows drawn at random, on two nodes: what becomes of each step is what a model of the rules says, and no step runs before its time. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class RandomWorkflowsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int WORKFLOWS = 25;

    /** What a step does: each of its jobs the same, but for the last one. */
    enum Deed {
        COMPLETES,
        RETRIES,
        SNOOZES,
        FAILS,
        FAILS_UNTIL_REDRIVEN
    }

    record Work(int workflow, String step, int number, boolean last, Deed deed) {}

    private record Plan(int jobs, Deed deed, Map<String, RunsAfter> parents) {}

    private enum Fate {
        SUCCEEDS,
        FAILS,
        SKIPPED
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final Map<String, Integer> ended =
            new ConcurrentHashMap<>(); // jobs by workflow and step, however they ended
    private final Map<String, Integer> failedOnce = new ConcurrentHashMap<>();
    private final Set<String> redriven = ConcurrentHashMap.newKeySet();
    private final List<String> broken = new CopyOnWriteArrayList<>();
    private final List<Map<String, Plan>> plans = new ArrayList<>();
    private final Rowlock first;
    private final Rowlock second;

    RandomWorkflowsTest(TestDatabase database) {
        first = node(database);
        second = node(database);
    }

    private Rowlock node(TestDatabase database) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .retry(RetryPolicy.fixed(Duration.ofMillis(5)).maxRetries(2))
                .listener(Work.class, (work, job) -> run(work, job)));
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    private void run(Work work, JobContext job) {
        int attempt = attempts.merge(work.workflow() + work.step() + work.number(), 1, Integer::sum);
        if (attempt == 1) {
            requireTime(work);
        }
        String step = work.workflow() + work.step();
        if (work.last()) {
            switch (work.deed()) {
                case COMPLETES -> {}
                case RETRIES -> {
                    if (attempt < 3) {
                        throw new IllegalStateException("again");
                    }
                }
                case SNOOZES -> {
                    if (attempt < 3) {
                        throw new SnoozeException(Duration.ofMillis(5));
                    }
                }
                case FAILS -> throw failed(step);
                case FAILS_UNTIL_REDRIVEN -> {
                    if (!redriven.contains(step)) {
                        throw failed(step);
                    }
                }
            }
        }
        ended.merge(step, 1, Integer::sum);
    }

    private RuntimeException failed(String step) {
        failedOnce.merge(step, 1, Integer::sum);
        return new DoNotRetryException("fails");
    }

    /** What must have happened before a step begins, as its handlers have seen it. */
    private void requireTime(Work work) {
        Map<String, Plan> all = plans.get(work.workflow());
        all.get(work.step()).parents().forEach((parent, when) -> {
            int completed = ended.getOrDefault(work.workflow() + parent, 0);
            boolean failed = failedOnce.containsKey(work.workflow() + parent);
            boolean allowed = switch (when) {
                case SUCCESS, SUCCESS_OR_HOLD -> completed == all.get(parent).jobs();
                case END -> completed + (failed ? 1 : 0) >= all.get(parent).jobs() || skippable(all, parent);
                case FAILURE -> true; // one of several is enough, and skipped ones count
            };
            if (!allowed) {
                broken.add("%s began before %s of %s".formatted(work, when, parent));
            }
        });
    }

    private static boolean skippable(Map<String, Plan> all, String step) {
        return !all.get(step).parents().isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatBecomesOfEachStepIsWhatTheRulesSay(long seed) {
        Random random = new Random(seed * 7_919);
        Workflows workflows = first.workflows();
        IntStream.range(0, WORKFLOWS).forEach(i -> plans.add(plan(random)));
        first.start();
        second.start();

        List<Long> ids = IntStream.range(0, WORKFLOWS)
                .mapToObj(i -> workflows.start(workflow(i)))
                .toList();

        IntStream.range(0, WORKFLOWS).forEach(i -> awaitFates(workflows, ids.get(i), i, false));
        IntStream.range(0, WORKFLOWS).forEach(i -> redrive(workflows, ids.get(i), i));
        IntStream.range(0, WORKFLOWS).forEach(i -> awaitFates(workflows, ids.get(i), i, true));
        assertThat(broken).isEmpty();
    }

    private static Map<String, Plan> plan(Random random) {
        Map<String, Plan> steps = new LinkedHashMap<>();
        int count = 2 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            Map<String, RunsAfter> parents = new LinkedHashMap<>();
            for (int parent = 0; parent < i; parent++) {
                if (random.nextInt(3) == 0) {
                    parents.put("s" + parent, RunsAfter.values()[random.nextInt(RunsAfter.values().length)]);
                }
            }
            Deed deed = random.nextInt(3) == 0 ? Deed.values()[random.nextInt(Deed.values().length)] : Deed.COMPLETES;
            steps.put("s" + i, new Plan(1 + random.nextInt(4), deed, parents));
        }
        return steps;
    }

    private Workflow workflow(int number) {
        Workflow workflow = Workflow.named("random-" + number);
        plans.get(number).forEach((name, plan) -> {
            List<Work> jobs = IntStream.range(0, plan.jobs())
                    .mapToObj(i -> new Work(number, name, i, i == plan.jobs() - 1, plan.deed()))
                    .toList();
            workflow.each(name, jobs, options -> {
                StepOptions all = options;
                for (Map.Entry<String, RunsAfter> parent : plan.parents().entrySet()) {
                    all = all.after(parent.getValue(), parent.getKey());
                }
                return all;
            });
        });
        return workflow;
    }

    private void redrive(Workflows workflows, long id, int number) {
        plans.get(number).forEach((name, plan) -> {
            if (plan.deed() == Deed.FAILS_UNTIL_REDRIVEN && redriven.add(number + name)) {
                workflows.jobs(id, name, Long.MIN_VALUE, 100).stream()
                        .filter(job -> job.state() == WorkflowJob.State.DEAD)
                        .forEach(job -> first.admin().redrive(job.id()));
            }
        });
    }

    private void awaitFates(Workflows workflows, long id, int number, boolean afterRedrive) {
        Map<String, StepCounts> expected = new HashMap<>();
        Map<String, Fate> fates = fates(plans.get(number), afterRedrive);
        fates.forEach((step, fate) ->
                expected.put(step, counts(plans.get(number).get(step).jobs(), fate)));
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .atMost(LONG)
                .untilAsserted(() -> {
                    Map<String, StepCounts> counts = new HashMap<>();
                    workflows.find(id).orElseThrow().steps().stream()
                            .filter(step -> fates.containsKey(step.name()))
                            .forEach(step -> counts.put(step.name(), step.counts()));
                    assertThat(counts).as("%d: %s", number, plans.get(number)).isEqualTo(expected);
                });
        if (fates.size() == plans.get(number).size()) {
            boolean failed = fates.containsValue(Fate.FAILS);
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(10))
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(
                                    workflows.find(id).orElseThrow().summary().state())
                            .isEqualTo(failed ? WorkflowState.FAILED : WorkflowState.COMPLETED));
        }
    }

    private static StepCounts counts(int jobs, Fate fate) {
        return switch (fate) {
            case SUCCEEDS -> new StepCounts(0, jobs, 0, 0, 0);
            case FAILS -> new StepCounts(0, jobs - 1, 1, 0, 0);
            case SKIPPED -> new StepCounts(0, 0, 0, 0, jobs);
        };
    }

    /**
     * The rules once more, step by step; those are left out whose fate depends on what came first: a step that runs after a failure, and whatever
     * runs after one that is held.
     */
    private static Map<String, Fate> fates(Map<String, Plan> plans, boolean afterRedrive) {
        Map<String, Fate> fates = new HashMap<>();
        plans.forEach((name, plan) -> {
            if (!fates.keySet().containsAll(plan.parents().keySet())) {
                return;
            }
            boolean skipped = false;
            boolean held = false;
            boolean alarmed = false;
            boolean alarm = false;
            for (Map.Entry<String, RunsAfter> parent : plan.parents().entrySet()) {
                Fate fate = fates.get(parent.getKey());
                switch (parent.getValue()) {
                    case SUCCESS -> skipped |= fate != Fate.SUCCEEDS;
                    case SUCCESS_OR_HOLD -> {
                        held |= fate == Fate.FAILS;
                        skipped |= fate == Fate.SKIPPED;
                    }
                    case END -> {}
                    case FAILURE -> {
                        alarm = true;
                        alarmed |= fate != Fate.SUCCEEDS;
                    }
                }
            }
            boolean mayComeBack = everRedriven(plans, name);
            if (alarm && mayComeBack || held && !skipped || afterRedrive && alarm) {
                return;
            }
            if (skipped || alarm && !alarmed) {
                fates.put(name, Fate.SKIPPED);
            } else {
                boolean fails = plan.deed() == Deed.FAILS || plan.deed() == Deed.FAILS_UNTIL_REDRIVEN && !afterRedrive;
                fates.put(name, fails ? Fate.FAILS : Fate.SUCCEEDS);
            }
        });
        return fates;
    }

    /** Whether a step before this one fails first and completes later. */
    private static boolean everRedriven(Map<String, Plan> plans, String name) {
        return plans.get(name).parents().keySet().stream()
                .anyMatch(
                        parent -> plans.get(parent).deed() == Deed.FAILS_UNTIL_REDRIVEN || everRedriven(plans, parent));
    }
}
