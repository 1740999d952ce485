package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Operators.Paused;
import dev.rowlock.queue.chaos.load.Told;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * While a type is paused and nothing is wrong, no handler of it begins. Bulk actions, whoever died in between, have redriven as many
 * jobs as they say, and the audit table says the same; none goes on for ever.
 */
final class OperatorsAreObeyed implements Law {

    private static final String NAME = "operators are obeyed";

    /** Two heartbeats, for a node that does not hear of the pause, and what is begun by then. */
    private static final long BOUND = Duration.ofSeconds(3).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Jobs jobs = Jobs.of(history);
        Peace peace = Peace.of(history);
        return Stream.concat(
                history.steering().pauses().stream()
                        .flatMap(paused -> history.starts().stream()
                                .filter(start -> steered(jobs, start)
                                        && start.nanos() > paused.from() + BOUND
                                        && start.nanos() < paused.to()
                                        && calm(peace, paused, start))
                                .map(start -> Violation.of(
                                        NAME,
                                        "%s began %d ms after its type was paused",
                                        start,
                                        (start.nanos() - paused.from()) / 1_000_000))),
                redrives(history));
    }

    private static boolean steered(Jobs jobs, Start start) {
        Told told = jobs.told().get(start.job());
        return told != null && Jobs.steered(told);
    }

    private static boolean calm(Peace peace, Paused paused, Start start) {
        return peace.calm().and(peace.awake(start.node())).cover(paused.from(), start.nanos());
    }

    private static Stream<Violation> redrives(History history) {
        long moves = history.moves().stream()
                .filter(move -> move.room().equals("waiting") && move.detail().equals("redrive"))
                .count();
        History.Steering said = history.steering();
        Stream<Violation> counts = said.done() == moves && said.audited() == moves
                ? Stream.empty()
                : Stream.of(Violation.of(
                        NAME,
                        "%d jobs were redriven, bulk actions say %d, and the audit table %d",
                        moves,
                        said.done(),
                        said.audited()));
        Stream<Violation> going = said.going() == 0
                ? Stream.empty()
                : Stream.of(Violation.of(NAME, "%d bulk actions still go on", said.going()));
        return Stream.concat(counts, going);
    }
}
