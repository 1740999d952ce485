package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Linked;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Shape;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.chaos.load.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * No job of a workflow is claimed before what its step waits for has happened, over all nodes, whatever dies: all jobs of the step before have completed, or
 * have ended, or one of them has failed. One that was redriven since has ended before. One that was taken away before a node noted how it ended counts as failed.
 */
final class StepsInTurn implements Law {

    private static final String NAME = "steps run in turn";
    private static final Set<String> ENDED = Set.of("done", "dead");

    private record Place(long workflow, int number) {}

    /** What became of a job so far. */
    private static final class Fate {

        private boolean ended;
        private boolean failed;
        private boolean completed;
        private long at; // of the last move

        void move(Move move) {
            at = move.nanos();
            completed = move.room().equals("done") && move.detail().equals("completed");
            ended |= ENDED.contains(move.room());
            failed |= ENDED.contains(move.room()) && !completed;
        }

        /** Whether it may look to nodes at this moment as if it had failed. */
        boolean mayHaveFailed(long now, List<Strike> takers) {
            return failed || completed && takers.stream().anyMatch(taker -> at <= taker.to() && taker.from() <= now);
        }
    }

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Told> jobs = Linked.jobs(history);
        List<Strike> takers =
                history.strikes().stream().filter(Strike::takesEndedJobs).toList();
        Map<Place, Fate> fates = new HashMap<>();
        List<Violation> violations = new ArrayList<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(Work.Linked.QUEUE) && jobs.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> {
                    String way = Objects.requireNonNull(jobs.get(move.job())).way();
                    Place place = new Place(Shape.first(way), Shape.place(way));
                    if (move.room().equals("running")
                            && place.number() > 0
                            && !mayRun(Shape.of(way), place, fates, move.nanos(), takers)) {
                        violations.add(Violation.of(
                                NAME,
                                "job %d was claimed under token %d before what it waits for had become of the step before it: %s",
                                move.job(),
                                move.token(),
                                Shape.of(way).condition(place.number())));
                    }
                    fates.computeIfAbsent(place, none -> new Fate()).move(move);
                });
        return violations.stream();
    }

    private static boolean mayRun(Shape shape, Place place, Map<Place, Fate> fates, long now, List<Strike> takers) {
        List<Fate> before = Shape.before(place.number()).stream()
                .map(number -> fates.getOrDefault(new Place(place.workflow(), number), new Fate()))
                .toList();
        return switch (shape.condition(place.number())) {
            case SUCCESS, SUCCESS_OR_HOLD -> before.stream().allMatch(fate -> fate.completed);
            case END -> before.stream().allMatch(fate -> fate.ended);
            case FAILURE -> before.stream().anyMatch(fate -> fate.mayHaveFailed(now, takers));
        };
    }
}
