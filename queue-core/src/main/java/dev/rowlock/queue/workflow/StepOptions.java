package dev.rowlock.queue.workflow;

import dev.rowlock.queue.job.JobOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * When a step runs, and how its jobs are queued. Immutable; start from {@link #NONE} and add what differs: {@code
 * s -> s.after("charge").job(o -> o.priority(5))}.
 *
 * @param parents names of the steps that this step runs after, and the condition for each
 * @param job options of each job that is declared with the step; a delay starts when the step may run; a unique key is not allowed
 * @param accepts jobs may be {@linkplain Workflows#add(long, String, java.util.Collection) added} until somebody {@linkplain
 *     Workflows#close closes} the step; the step does not end before that, unless it is skipped
 */
public record StepOptions(Map<String, RunsAfter> parents, JobOptions job, boolean accepts) {

    /** A step that runs at once. */
    public static final StepOptions NONE = new StepOptions(Map.of(), JobOptions.NONE, false);

    public StepOptions {
        if (job.uniqueKey() != null) {
            throw new IllegalArgumentException(
                    "a step's jobs cannot have unique key %s: if another job held it, the step would be without a job; let a job with that key start the workflow"
                            .formatted(job.uniqueKey()));
        }
        parents = Collections.unmodifiableMap(new LinkedHashMap<>(parents));
    }

    /** The step runs when these steps have completed, and is skipped as soon as a job of one is dead or cancelled: {@link RunsAfter#SUCCESS}. */
    public StepOptions after(String... steps) {
        return after(RunsAfter.SUCCESS, steps);
    }

    /** The step runs when all jobs of these steps have ended, in whatever way: {@link RunsAfter#END}. */
    public StepOptions afterEnd(String... steps) {
        return after(RunsAfter.END, steps);
    }

    /** The step runs as soon as a job of one of these steps is dead, cancelled or skipped: {@link RunsAfter#FAILURE}. */
    public StepOptions afterFailure(String... steps) {
        return after(RunsAfter.FAILURE, steps);
    }

    /**
     * The step runs after these steps, each on this condition. A step runs when all of its conditions hold. Of several {@link
     * RunsAfter#FAILURE}, one is enough.
     *
     * @throws IllegalArgumentException if a step is already named with another condition
     */
    public StepOptions after(RunsAfter when, String... steps) {
        Map<String, RunsAfter> all = new LinkedHashMap<>(parents);
        for (String step : steps) {
            RunsAfter before = all.put(step, when);
            if (before != null && before != when) {
                throw new IllegalArgumentException("a step runs after step '%s' either on %s or on %s: name it once"
                        .formatted(step, before, when));
            }
        }
        return new StepOptions(all, job, accepts);
    }

    /** Sets how its jobs are queued and run: {@code s.job(o -> o.queue("slow"))}. */
    public StepOptions job(UnaryOperator<JobOptions> options) {
        return new StepOptions(parents, options.apply(job), accepts);
    }

    /** Jobs may be added until somebody closes the step. */
    public StepOptions open() {
        return new StepOptions(parents, job, true);
    }
}
