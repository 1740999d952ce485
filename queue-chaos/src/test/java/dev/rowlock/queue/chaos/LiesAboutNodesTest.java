package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.move;
import static dev.rowlock.queue.chaos.Story.removal;
import static dev.rowlock.queue.chaos.Story.second;

import dev.rowlock.queue.chaos.history.History.Gone;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.History.Trace;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Nodes lose jobs, leases and threads that they should keep. */
class LiesAboutNodesTest extends Lies {

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("a job taken from a living node", "only dead nodes lose jobs", s -> s.removals.clear()),
                lie(
                        "a job taken before its node was declared dead",
                        "only dead nodes lose jobs",
                        s -> s.removals.set(0, removal(20, 1, "w1"))),
                lie("a node that beats and does not record", "who cannot record does not keep its lease", s -> {
                    s.peace().fifth(12);
                    s.moves.removeIf(move -> move.seq() == 18);
                }),
                lie(
                        "a node declared dead that was there",
                        "only the silent are declared dead",
                        s -> s.peace().removals.add(new Removal(30, second(30), 2, "w2"))),
                lie("a node declared dead because a clock stepped", "only the silent are declared dead", s -> {
                    s.peace().removals.add(new Removal(30, second(30), 2, "w2"));
                    s.strikes.add(new Strike("CLOCK_FORWARD", "", second(28), second(40), false));
                }),
                lie(
                        "a thread that ended",
                        "no thread of ours is gone",
                        s -> s.gone.add(new Gone("w1", 20, "rowlock-janitor"))),
                lie(
                        "an MDC that a handler left",
                        "user code leaves no trace",
                        s -> s.traces.add(new Trace("w1", 20, "job 3 found a key of the MDC"))));
    }
}
