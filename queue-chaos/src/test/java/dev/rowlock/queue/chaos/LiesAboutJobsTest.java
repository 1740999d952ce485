package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.move;
import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.second;
import static dev.rowlock.queue.chaos.Story.told;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Fate;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Jobs are lost, claimed twice, or left lying. */
class LiesAboutJobsTest extends Lies {

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("a job is lost", "conservation", s -> s.rows.remove(0)),
                lie("a job is in two rooms", "conservation", s -> s.rows.add(row(1, 1, "dead", 1, 0, 1, null))),
                lie(
                        "a job was enqueued twice under its key",
                        "conservation",
                        s -> s.rows.add(row(8, 1, "completed", 1, 0, 0, 10L))),
                lie("a job comes from nowhere", "conservation", s -> s.rows.add(row(9, 9, "completed", 1, 0, 0, 9L))),
                lie("a rolled-back job exists", "conservation", s -> s.rows.add(row(4, 4, "completed", 1, 0, 0, 9L))),
                lie("a rolled-back job ran", "conservation", s -> s.starts.add(new Start("w1", 5, 4, 15, 4, 1, 0))),
                lie("a job changed its id", "conservation", s -> s.rows.set(0, row(7, 1, "completed", 1, 0, 0, 10L))),
                lie("a job waits beside a thread whose handler left no line of its end", NOBODY_WAITS, s -> {
                    s.peace().fifth(20);
                    for (int i = 6; i < 8; i++) {
                        String node = "w" + (i - 5);
                        s.starts.add(new Start(node, second(8), i, 11 + i, i, 1, 0));
                        s.moves.add(new Move(13 + i, second(8), i, "default", "running", "", 11 + i, i - 5, 1, 0));
                        s.moves.add(new Move(15 + i, second(9), i, "default", "waiting", "retry", 0, 0, 1, 0));
                    }
                }),
                lie("a job whose key has room is left lying", NOBODY_WAITS, s -> {
                    s.peace().serves.add(new Serves("w1", "gated", 4));
                    s.rows.add(row(6, 6, "ready", 0, 0, 0, null));
                    s.moves.add(new Move(36, second(10), 6, "gated", "ready", "", 0, 0, 0, 0));
                }),
                lie("a job is stuck in running", "nobody waits for ever", s -> {
                    s.rows.set(0, row(1, 1, "running", 1, 0, 0, 10L));
                    s.moves.removeIf(move -> move.seq() == 5);
                }),
                lie(
                        "two outcomes for one claim",
                        "one outcome per claim",
                        s -> s.moves.add(move(16, 1, "dead", "dead", 0, 0, 1, 0))),
                lie(
                        "a job done twice",
                        "one outcome per claim",
                        s -> s.moves.add(move(16, 1, "done", "completed", 10, 1, 1, 0))),
                lie(
                        "a release that cost an attempt",
                        "one outcome per claim",
                        s -> s.moves.set(6, move(8, 2, "ready", "", 0, 0, 1, 1))),
                lie(
                        "a retry that counted as a crash",
                        "one outcome per claim",
                        s -> s.moves.set(10, move(12, 3, "waiting", "retry", 0, 0, 1, 1))),
                lie("a token going back", "tokens grow", s -> s.moves.set(7, move(9, 2, "running", "", 9, 2, 1, 1))),
                lie(
                        "a token given twice",
                        "tokens grow",
                        s -> s.moves.set(12, move(14, 3, "running", "", 12, 2, 2, 0))),
                lie(
                        "two nodes in one claim",
                        "one handler per claim",
                        s -> s.starts.add(new Start("w2", 11, 1, 10, 1, 1, 0))),
                lie(
                        "a handler without a claim",
                        "one handler per claim",
                        s -> s.starts.add(new Start("w2", 11, 1, 99, 1, 1, 0))),
                lie(
                        "a handler of a finished claim beside the next one",
                        "one handler per claim",
                        s -> s.ends.set(2, new End("w2", 81, 3, 13, "IllegalStateException"))),
                lie("a job done without running", "one handler per claim", s -> s.ends.remove(0)),
                lie(
                        "a job done though it failed",
                        "one handler per claim",
                        s -> s.ends.set(0, new End("w1", 12, 1, 10, "IllegalStateException"))),
                lie(
                        "an id without a job",
                        "answered ids are jobs",
                        s -> s.told.add(told(5, 5, Fate.COMMITTED, "plain", Act.SLEEP, 0))),
                lie(
                        "a claimed job stranded beside an idle node",
                        NOBODY_WAITS,
                        s -> s.peace().fifth(20)),
                lie(
                        "a claim whose answer was swallowed is undone late",
                        NOBODY_WAITS,
                        s -> s.peace().stranded(20)),
                lie("a ready job that nobody claims", NOBODY_WAITS, s -> {
                    s.peace().fifth(20);
                    s.moves.removeIf(move -> move.seq() > 16);
                    s.starts.removeIf(start -> start.job() == 5);
                    s.ends.removeIf(end -> end.job() == 5);
                }));
    }
}
