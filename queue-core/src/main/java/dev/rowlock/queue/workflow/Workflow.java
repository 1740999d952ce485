package dev.rowlock.queue.workflow;

import dev.rowlock.queue.job.Names;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Steps of one job or many, and the order in which they run. Each call of {@link Workflows#start} enqueues the workflow once more.
 * Not thread-safe.
 *
 * <pre>{@code
 * Workflow.named("order-17")
 *         .step("reserve", new Reserve(17))
 *         .step("charge", new Charge(17), s -> s.after("reserve"))
 *         .step("ship", new Ship(17), s -> s.after("charge"))
 *         .step("apologize", new Apologize(17), s -> s.afterFailure("charge", "ship"));
 * }</pre>
 */
public final class Workflow {

    /** The most steps of one workflow; a step may have any number of jobs. */
    public static final int MAX_STEPS = 100_000;

    /**
     * One or more jobs that wait for the same steps.
     *
     * @param payloads one for each job
     */
    public record Step(String name, List<Object> payloads, StepOptions options) {}

    private final String name;
    private final Map<String, Step> steps = new LinkedHashMap<>();

    private Workflow(String name) {
        this.name = name;
    }

    /** @param name for people, so several workflows may have the same name; its characters are those of a queue's name */
    public static Workflow named(String name) {
        return new Workflow(Names.workflow(name));
    }

    /** Adds a step of one job that runs at once. */
    public Workflow step(String step, Object payload) {
        return step(step, payload, options -> options);
    }

    /** Adds a step of one job: {@code step("ship", new Ship(17), s -> s.after("charge"))}. */
    public Workflow step(String step, Object payload, UnaryOperator<StepOptions> options) {
        return each(step, Collections.singletonList(payload), options);
    }

    /** Adds a step of one job for each payload. The jobs run at once and in parallel. */
    public Workflow each(String step, Collection<?> payloads) {
        return each(step, payloads, options -> options);
    }

    /**
     * Adds a step of one job for each payload. The jobs run in parallel.
     *
     * @param payloads payloads, or {@link dev.rowlock.queue.JobRequest}s with their own options. A request must not have a unique key, nor a due time in a step
     *     that runs after others. {@link Workflows#start} rejects requests in a step that has options for its jobs
     * @throws IllegalArgumentException if the name is not allowed or already taken, if a payload is null, or if there is no payload and the step
     *     is not {@linkplain StepOptions#open open}
     */
    public Workflow each(String step, Collection<?> payloads, UnaryOperator<StepOptions> options) {
        Names.step(step);
        StepOptions chosen = options.apply(StepOptions.NONE);
        List<Object> all = new ArrayList<>(payloads);
        if (all.contains(null)) {
            throw new IllegalArgumentException(
                    "step '%s': there is no payload: null cannot be enqueued".formatted(step));
        }
        if (all.isEmpty() && !chosen.accepts()) {
            throw new IllegalArgumentException(
                    "step '%s' has no job: give it one, or open it, so that some can be added".formatted(step));
        }
        if (steps.size() == MAX_STEPS) {
            throw new IllegalArgumentException(
                    "a workflow has %d steps at most: jobs that wait for the same belong to one step"
                            .formatted(MAX_STEPS));
        }
        if (steps.putIfAbsent(step, new Step(step, Collections.unmodifiableList(all), chosen)) != null) {
            throw new IllegalArgumentException("there are two steps '%s': each has a name of its own".formatted(step));
        }
        return this;
    }

    public String name() {
        return name;
    }

    /** Returns the steps in the order in which they were added. */
    public List<Step> steps() {
        return List.copyOf(steps.values());
    }

    /**
     * Checks that it can run.
     *
     * @throws IllegalArgumentException if it has no step, a step runs after an unknown one, or steps wait for each other in a circle
     */
    public void check() {
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("workflow '%s' has no step".formatted(name));
        }
        for (Step step : steps.values()) {
            for (String parent : step.options().parents().keySet()) {
                if (!steps.containsKey(parent)) {
                    throw new IllegalArgumentException(
                            "workflow '%s': step '%s' runs after a step '%s' that there is not; there are %s"
                                    .formatted(
                                            name,
                                            step.name(),
                                            parent,
                                            steps.keySet().stream().limit(20).toList()));
                }
            }
        }
        List<String> circle = inCircles();
        if (!circle.isEmpty()) {
            throw new IllegalArgumentException(
                    "workflow '%s': these steps wait for each other, so none of them could ever run: %s"
                            .formatted(name, circle.stream().limit(20).toList()));
        }
    }

    /** The steps that are left when each one that waits for no other is taken away, again and again, but for those behind a circle. */
    private List<String> inCircles() {
        Map<String, Integer> missing = new HashMap<>();
        Map<String, List<String>> children = new HashMap<>();
        Deque<String> free = new ArrayDeque<>();
        for (Step step : steps.values()) {
            missing.put(step.name(), step.options().parents().size());
            step.options()
                    .parents()
                    .keySet()
                    .forEach(parent -> children.computeIfAbsent(parent, p -> new ArrayList<>())
                            .add(step.name()));
            if (step.options().parents().isEmpty()) {
                free.add(step.name());
            }
        }
        while (!free.isEmpty()) {
            String done = free.remove();
            missing.remove(done);
            for (String child : children.getOrDefault(done, List.of())) {
                if (missing.merge(child, -1, Integer::sum) == 0) {
                    free.add(child);
                }
            }
        }
        // What only waits for a circle is left as well: whatever nobody that is left waits for.
        Set<String> left = new LinkedHashSet<>(steps.keySet());
        left.retainAll(missing.keySet());
        while (left.removeIf(
                step -> children.getOrDefault(step, List.of()).stream().noneMatch(left::contains))) {}
        return List.copyOf(left);
    }

    /** For logs: names and numbers, never payloads. */
    @Override
    public String toString() {
        return "Workflow[%s, %d steps]".formatted(name, steps.size());
    }
}
