package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.Workflow;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The shapes of the workflows of the load. All have a job, then three beside each other, then one, then another one, each step behind the one before it. They
 * differ in what must have become of that one.
 */
public enum Shape {
    /** Whatever became of it. */
    ENDS(RunsAfter.END, RunsAfter.END, RunsAfter.END),
    /** It must have completed; the last step runs in any case. */
    SUCCESS(RunsAfter.SUCCESS, RunsAfter.SUCCESS, RunsAfter.END),
    /** While it has failed, the next one waits. */
    HELD(RunsAfter.SUCCESS_OR_HOLD, RunsAfter.SUCCESS_OR_HOLD, RunsAfter.SUCCESS_OR_HOLD),
    /** The third step runs if one of the three jobs before it fails. */
    ALARM(RunsAfter.SUCCESS, RunsAfter.FAILURE, RunsAfter.END);

    /** How many jobs a workflow has. */
    public static final int JOBS = 6;

    /** The step of each of its jobs. */
    private static final int[] STEPS = {0, 1, 1, 1, 2, 3};

    private final List<RunsAfter> conditions;

    Shape(RunsAfter second, RunsAfter third, RunsAfter fourth) {
        this.conditions = List.of(second, third, fourth);
    }

    /** The jobs of the step before this one, as places from 0. */
    public static List<Integer> before(int place) {
        return IntStream.range(0, JOBS)
                .filter(other -> STEPS[other] == STEPS[place] - 1)
                .boxed()
                .toList();
    }

    /** What must have become of the jobs {@link #before} this one, if there are any. */
    public RunsAfter condition(int place) {
        return conditions.get(STEPS[place] - 1);
    }

    /** How a producer names the place of a job in a workflow whose first job has this uid. */
    String way(long first, int place) {
        return "workflow " + first + " " + place + " " + name();
    }

    /** The uid of the first job of its workflow, from what {@link #way} made. */
    public static long first(String way) {
        return Long.parseLong(way.split(" ")[1]);
    }

    /** The place of a job in its workflow, from what {@link #way} made. */
    public static int place(String way) {
        return Integer.parseInt(way.split(" ")[2]);
    }

    /** The shape, from what {@link #way} made. */
    public static Shape of(String way) {
        return valueOf(way.split(" ")[3]);
    }

    Workflow workflow(List<JobRequest> jobs) {
        Workflow workflow = Workflow.named("linked");
        for (int step = 0; step <= STEPS[JOBS - 1]; step++) {
            int own = step;
            List<JobRequest> some = IntStream.range(0, JOBS)
                    .filter(place -> STEPS[place] == own)
                    .mapToObj(jobs::get)
                    .toList();
            workflow.each(
                    stepName(step), some, s -> own == 0 ? s : s.after(conditions.get(own - 1), stepName(own - 1)));
        }
        return workflow;
    }

    /** The names of its steps, in the order of its jobs. */
    static List<String> steps() {
        return IntStream.rangeClosed(0, STEPS[JOBS - 1])
                .mapToObj(Shape::stepName)
                .toList();
    }

    private static String stepName(int step) {
        return "step-" + step;
    }
}
