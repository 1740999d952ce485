package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepOptions;
import dev.rowlock.queue.workflow.Workflow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the steps that wait for one job only, so that its end lets them run, whatever else happens in the workflow. */
final class NextSteps {

    private NextSteps() {}

    /** For each step the numbers of those that run as soon as its only job has completed; empty where there is more to be decided then. */
    static List<List<Integer>> of(List<Workflow.Step> steps) {
        Map<String, List<Integer>> after = new HashMap<>();
        for (int number = 0; number < steps.size(); number++) {
            for (String parent : steps.get(number).options().parents().keySet()) {
                after.computeIfAbsent(parent, step -> new ArrayList<>()).add(number);
            }
        }
        return steps.stream()
                .map(step -> {
                    List<Integer> next = after.getOrDefault(step.name(), List.of());
                    boolean alone =
                            step.payloads().size() == 1 && !step.options().accepts();
                    return alone && next.stream().allMatch(number -> waitsForOneOnly(steps.get(number)))
                            ? next
                            : List.<Integer>of();
                })
                .toList();
    }

    private static boolean waitsForOneOnly(Workflow.Step step) {
        StepOptions options = step.options();
        return options.parents().size() == 1
                && !options.parents().containsValue(RunsAfter.FAILURE)
                && !options.accepts()
                && options.job().due() == null
                && step.payloads().size() < Progress.FEW;
    }
}
