package dev.rowlock.queue.chaos.law.node;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node that was alive and could reach the database is not declared dead, whatever clocks say: it would cost its jobs a
 * crash.
 */
final class OnlyTheSilentDie implements Law {

    /** Longer than the lease of a run's workers: what came before has no part in it. */
    private static final long BEFORE = Duration.ofSeconds(6).toNanos();

    private static final long AFTER = Duration.ofMillis(700).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        if (history.strikes().isEmpty()) {
            return Stream.empty(); // nobody knows what was done to whom
        }
        Peace peace = Peace.of(history);
        return history.removals().stream()
                .filter(removal -> removal.nanos() != 0)
                .filter(removal -> peace.awake(removal.name())
                        .and(peace.awake(History.Pulse.DATABASE))
                        .minus(silenced(history.strikes(), removal))
                        .cover(removal.nanos() - BEFORE, removal.nanos() + AFTER))
                .map(removal -> Violation.of(
                        "only the silent are declared dead", "%s was there, and was removed", removal.name()));
    }

    private static Spans silenced(List<Strike> strikes, Removal removal) {
        return Spans.of(strikes.stream()
                .filter(strike -> strike.silences() && removal.name().startsWith(strike.place()))
                .map(strike -> new Span(strike.from(), strike.to()))
                .toList());
    }
}
