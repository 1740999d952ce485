package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Row;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** No job of a workflow is claimed before all jobs of the steps before it have ended, over all nodes, whatever dies. */
final class StepsInTurn implements Law {

    private static final String NAME = "steps run in turn";
    private static final Set<String> ENDED = Set.of("done", "dead");

    private record Place(long workflow, int number) {}

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Place> places = places(history);
        Map<Place, Move> last = new HashMap<>();
        List<Violation> violations = new ArrayList<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(Work.Linked.QUEUE) && places.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> {
                    Place place = Objects.requireNonNull(places.get(move.job()));
                    last.put(place, move);
                    if (move.room().equals("running")) {
                        tooEarly(move, place, last).forEach(violations::add);
                    }
                });
        return violations.stream();
    }

    private static Stream<Violation> tooEarly(Move claim, Place place, Map<Place, Move> last) {
        return Shape.before(place.number()).stream()
                .map(before -> last.get(new Place(place.workflow(), before)))
                .filter(before -> before == null || !ENDED.contains(before.room()))
                .map(before -> Violation.of(
                        NAME,
                        "job %d was claimed under token %d before a job of the step before it had ended: %s",
                        claim.job(),
                        claim.token(),
                        before));
    }

    private static Map<Long, Place> places(History history) {
        Map<Long, Told> told = history.told().stream()
                .filter(job -> job.type().equals("linked"))
                .collect(Collectors.toMap(Told::uid, job -> job, (a, b) -> a));
        Map<Long, Place> places = new HashMap<>();
        for (Row row : history.rows()) {
            Told job = told.get(row.uid());
            if (job != null) {
                places.put(row.id(), new Place(Shape.first(job.way()), Shape.place(job.way())));
            }
        }
        return places;
    }
}
