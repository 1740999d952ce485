package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.workflow.Workflow;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The one shape that all workflows of the load have: a job, then three beside each other, then one, then another one. Each step runs after the end of
 * the one before it, whatever became of that.
 */
public final class Shape {

    /** How many jobs a workflow has. */
    public static final int JOBS = 6;

    /** The step of each of its jobs. */
    private static final int[] STEPS = {0, 1, 1, 1, 2, 3};

    private Shape() {}

    /** The jobs that must have ended before this one begins, as places from 0. */
    public static List<Integer> before(int place) {
        return IntStream.range(0, JOBS)
                .filter(other -> STEPS[other] == STEPS[place] - 1)
                .boxed()
                .toList();
    }

    /** How a producer names the place of a job in a workflow whose first job has this uid. */
    static String way(long first, int place) {
        return "workflow " + first + " " + place;
    }

    /** The uid of the first job of its workflow, from what {@link #way} made. */
    public static long first(String way) {
        return Long.parseLong(way.split(" ")[1]);
    }

    /** The place of a job in its workflow, from what {@link #way} made. */
    public static int place(String way) {
        return Integer.parseInt(way.split(" ")[2]);
    }

    static Workflow of(List<Work.Linked> jobs) {
        Workflow workflow = Workflow.named("linked");
        for (int step = 0; step <= STEPS[JOBS - 1]; step++) {
            int own = step;
            List<Work.Linked> some = IntStream.range(0, JOBS)
                    .filter(place -> STEPS[place] == own)
                    .mapToObj(jobs::get)
                    .toList();
            workflow.each(name(step), some, s -> own == 0 ? s : s.afterEnd(name(own - 1)));
        }
        return workflow;
    }

    /** The names of its steps, in the order of its jobs. */
    static List<String> steps() {
        return IntStream.rangeClosed(0, STEPS[JOBS - 1]).mapToObj(Shape::name).toList();
    }

    private static String name(int step) {
        return "step-" + step;
    }
}
