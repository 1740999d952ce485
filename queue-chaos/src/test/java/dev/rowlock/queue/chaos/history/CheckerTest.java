package dev.rowlock.queue.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Start;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that cannot fail is a defect: every way of breaking a promise must be found, and named. */
class CheckerTest {

    @Test
    void aHistoryInWhichEveryPromiseHeldIsAccepted() {
        assertThat(Checker.check(new Story().history())).isEmpty();
    }

    @Test
    void theTimeUntilAKilledNodesJobRanAgainIsMeasured() {
        assertThat(Recovery.times(new Story().history())).containsExactly(Duration.ofNanos(30));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void everyLieIsFound(String lie, String promise, Consumer<Story> tell) {
        Story story = new Story();

        tell.accept(story);

        assertThat(Checker.check(story.history()))
                .as(lie)
                .extracting(Violation::promise)
                .contains(promise);
    }

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("a job is lost", "conservation", s -> s.rows.remove(0)),
                lie("a job is in two rooms", "conservation", s -> s.rows.add(new Row(1, 1, "failed", 1, 0, 1, null))),
                lie(
                        "a job was enqueued twice under its key",
                        "conservation",
                        s -> s.rows.add(new Row(8, 1, "completed", 1, 0, 0, 10L))),
                lie(
                        "a job comes from nowhere",
                        "conservation",
                        s -> s.rows.add(new Row(9, 9, "completed", 1, 0, 0, 9L))),
                lie(
                        "a rolled-back job exists",
                        "conservation",
                        s -> s.rows.add(new Row(4, 4, "completed", 1, 0, 0, 9L))),
                lie("a rolled-back job ran", "conservation", s -> s.starts.add(new Start("w1", 5, 4, 15, 4, 1, 0))),
                lie(
                        "a job changed its id",
                        "conservation",
                        s -> s.rows.set(0, new Row(7, 1, "completed", 1, 0, 0, 10L))),
                lie("a job is stuck in running", "nobody waits for ever", s -> {
                    s.rows.set(0, new Row(1, 1, "running", 1, 0, 0, 10L));
                    s.moves.removeIf(move -> move.seq() == 5);
                }),
                lie(
                        "two outcomes for one claim",
                        "one outcome per claim",
                        s -> s.moves.add(new Move(16, 1, "dead", "failed", 0, 0, 1, 0))),
                lie(
                        "a job done twice",
                        "one outcome per claim",
                        s -> s.moves.add(new Move(16, 1, "done", "completed", 10, 1, 1, 0))),
                lie(
                        "a release that cost an attempt",
                        "one outcome per claim",
                        s -> s.moves.set(6, new Move(8, 2, "ready", "", 0, 0, 1, 1))),
                lie(
                        "a retry that counted as a crash",
                        "one outcome per claim",
                        s -> s.moves.set(10, new Move(12, 3, "waiting", "retry", 0, 0, 1, 1))),
                lie(
                        "a token going back",
                        "tokens grow",
                        s -> s.moves.set(7, new Move(9, 2, "running", "", 9, 2, 1, 1))),
                lie(
                        "a token given twice",
                        "tokens grow",
                        s -> s.moves.set(12, new Move(14, 3, "running", "", 12, 2, 2, 0))),
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
                        s -> s.rows.set(0, new Row(1, 1, "completed", 2, 0, 1, 10L))),
                lie(
                        "an error that left no trace",
                        "attempts are counted right",
                        s -> s.rows.set(2, new Row(3, 3, "completed", 2, 0, 0, 14L))),
                lie(
                        "a healthy job given up",
                        "attempts are counted right",
                        s -> s.rows.set(0, new Row(1, 1, "failed", 4, 0, 4, null))),
                lie(
                        "quarantined too early",
                        "attempts are counted right",
                        s -> s.rows.set(0, new Row(1, 1, "quarantined", 1, 1, 1, null))),
                lie("a job taken from a living node", "only dead nodes lose jobs", s -> s.removals.clear()),
                lie(
                        "a job taken before its node was declared dead",
                        "only dead nodes lose jobs",
                        s -> s.removals.set(0, new Removal(20, 1, "w1"))));
    }

    private static Arguments lie(String lie, String promise, Consumer<Story> tell) {
        return Arguments.of(lie, promise, tell);
    }
}
