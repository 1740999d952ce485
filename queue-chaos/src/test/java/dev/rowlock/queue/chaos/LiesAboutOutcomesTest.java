package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.move;
import static dev.rowlock.queue.chaos.Story.row;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.job.JobOptions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Outcomes and attempts are not what the handlers did. */
class LiesAboutOutcomesTest extends Lies {

    static Stream<Arguments> lies() {
        return Stream.of(
                lie(
                        "an outcome accepted from a zombie",
                        "outcomes only from owners",
                        s -> s.said.add(new Said("w1", 61, 2, 11, "completed"))),
                lie(
                        "one outcome accepted twice",
                        "outcomes only from owners",
                        s -> s.said.add(new Said("w1", 61, 1, 10, "completed"))),
                lie(
                        "an outcome recorded as another",
                        "outcomes only from owners",
                        s -> s.said.set(0, new Said("w1", 13, 1, 10, "failed"))),
                lie("an effect twice", "effects exactly once", s -> s.effects.add(new Effect(2, 2, 12))),
                lie("an effect lost", "effects exactly once", s -> s.effects.clear()),
                lie(
                        "an effect of the claim that was lost",
                        "effects exactly once",
                        s -> s.effects.set(0, new Effect(2, 2, 11))),
                lie("an effect of no job", "effects exactly once", s -> s.effects.add(new Effect(4, 4, 15))),
                lie(
                        "an attempt burnt",
                        "attempts are counted right",
                        s -> s.rows.set(0, row(1, 1, "completed", 2, 0, 1, 10L))),
                lie(
                        "an error that left no trace",
                        "attempts are counted right",
                        s -> s.rows.set(2, row(3, 3, "completed", 2, 0, 0, 14L))),
                lie(
                        "a healthy job given up",
                        "attempts are counted right",
                        s -> s.rows.set(0, row(1, 1, "dead", 4, 0, 4, null))),
                lie(
                        "quarantined too early",
                        "attempts are counted right",
                        s -> s.rows.set(0, row(1, 1, "quarantined", 1, 1, 1, null))),
                lie(
                        "a job dead whose handler returned",
                        "nothing that returned is dead",
                        s -> s.moves.set(4, move(5, 1, "dead", "dead", 0, 0, 1, 0))),
                lie(
                        "a job retried whose handler returned",
                        "nothing that returned is dead",
                        s -> s.moves.set(4, move(5, 1, "waiting", "retry", 0, 0, 1, 0))),
                lie("an attempt of a handler that never began", "attempts are earned", s -> s.starts.remove(3)),
                lie("a timeout before its time", "attempts are earned", s -> {
                    s.told.set(0, limited(JobOptions.NONE.timeout(Duration.ofSeconds(1))));
                    s.moves.set(4, move(5, 1, "dead", "dead", 0, 0, 1, 0));
                }),
                lie("a job retried that never may be", "retries are the listener's", s -> {
                    s.told.set(0, limited(JobOptions.NONE.maxRetries(0)));
                    s.moves.set(4, move(5, 1, "waiting", "retry", 0, 0, 1, 0));
                }));
    }

    private static Told limited(JobOptions options) {
        return new Told(1, 1, Fate.COMMITTED, "plain", Act.SLEEP, 0, options, "alone");
    }
}
