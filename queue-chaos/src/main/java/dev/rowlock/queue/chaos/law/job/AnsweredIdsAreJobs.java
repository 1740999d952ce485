package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Fate;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Each id that a caller has been given is that of a job which was there, from the commit on that the caller waited for. */
final class AnsweredIdsAreJobs implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        Set<Long> seen = history.moves().stream().map(Move::job).collect(Collectors.toSet());
        return history.told().stream()
                .filter(told -> told.fate() == Fate.COMMITTED && !seen.contains(told.id()))
                .map(told -> Violation.of(
                        "answered ids are jobs",
                        "the caller was given id %d (uid %d, %s), and no such job ever was",
                        told.id(),
                        told.uid(),
                        told.way()));
    }
}
