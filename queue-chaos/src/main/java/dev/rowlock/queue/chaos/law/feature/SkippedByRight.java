package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Linked;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Shape;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.workflow.RunsAfter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * In the end a step was skipped if what it waits for cannot happen any more, and otherwise not, whatever was redriven or died in between: no step is left out,
 * and none that was skipped stays so when its turn comes after all. Where jobs were taken away
 * after it had begun, nobody can know.
 */
final class SkippedByRight implements Law {

    private static final String NAME = "only those are skipped whose turn cannot come";

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Told> jobs = Linked.jobs(history);
        Map<Long, Map<Integer, Row>> workflows = new TreeMap<>();
        for (Row row : history.rows()) {
            Told job = jobs.get(row.id());
            if (job != null) {
                workflows
                        .computeIfAbsent(Shape.first(job.way()), none -> new HashMap<>())
                        .put(Shape.place(job.way()), row);
            }
        }
        Set<Long> disturbed = disturbed(history, jobs);
        return workflows.entrySet().stream()
                .filter(workflow -> workflow.getValue().size() == Shape.JOBS && !disturbed.contains(workflow.getKey()))
                .flatMap(workflow -> ofWorkflow(workflow.getValue(), jobs));
    }

    /** Those that began before the last jobs were taken away. */
    private static Set<Long> disturbed(History history, Map<Long, Told> jobs) {
        long until = history.strikes().stream()
                .filter(Strike::takesEndedJobs)
                .mapToLong(Strike::to)
                .max()
                .orElse(Long.MIN_VALUE);
        return history.moves().stream()
                .filter(move -> move.nanos() <= until)
                .flatMap(move -> Stream.ofNullable(jobs.get(move.job())))
                .map(job -> Shape.first(job.way()))
                .collect(Collectors.toSet());
    }

    private static Stream<Violation> ofWorkflow(Map<Integer, Row> rows, Map<Long, Told> jobs) {
        return rows.entrySet().stream()
                .filter(entry -> entry.getKey() > 0)
                .flatMap(entry -> Stream.ofNullable(jobs.get(entry.getValue().id()))
                        .flatMap(job -> ofJob(
                                entry.getValue(),
                                Shape.of(job.way()).condition(entry.getKey()),
                                Shape.before(entry.getKey()).stream()
                                        .map(rows::get)
                                        .toList())));
    }

    private static Stream<Violation> ofJob(Row row, RunsAfter condition, List<Row> before) {
        boolean completed = before.stream().allMatch(other -> other.state().equals("completed"));
        boolean skipped = row.state().equals("cancelled");
        boolean right = switch (condition) {
            case SUCCESS, SUCCESS_OR_HOLD -> skipped != completed;
            case END -> !skipped;
            case FAILURE -> completed || !skipped; // one that has failed may have been redriven since
        };
        return right
                ? Stream.empty()
                : Stream.of(Violation.of(NAME, "%s runs after %s of these: %s", row, condition, before));
    }
}
