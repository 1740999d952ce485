package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.move;
import static dev.rowlock.queue.chaos.Story.removal;
import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.second;
import static dev.rowlock.queue.chaos.Story.told;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Gone;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Run;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Steering;
import dev.rowlock.queue.chaos.history.History.Step;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.History.Trace;
import dev.rowlock.queue.chaos.history.Recovery;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Awaits.Answer;
import dev.rowlock.queue.chaos.load.Awaits.Wait;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Operators.Paused;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.job.JobOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that cannot fail is a defect: it must find and name every way of breaking a promise. */
class CheckerTest {

    private static final String NOBODY_WAITS = "nobody waits beside the idle";

    @Test
    void aHistoryInWhichEveryPromiseHeldIsAccepted() {
        assertThat(Checker.check(new Story().history())).isEmpty();
    }

    @Test
    void aJobMayWaitAMomentInPeace() {
        assertThat(Checker.check(new Story().peace().fifth(12).history())).isEmpty();
    }

    @Test
    void aJobMayWaitWhileAllThreadsAreBusy() {
        Story story = new Story().peace().fifth(20);
        story.starts.add(new Start("w1", second(8), 6, 17, 6, 1, 0));
        story.starts.add(new Start("w2", second(8), 7, 18, 7, 1, 0));
        story.moves.add(new Move(19, second(8), 6, "default", "running", "", 17, 1, 1, 0));
        story.moves.add(new Move(20, second(8), 7, "default", "running", "", 18, 2, 1, 0));

        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain(NOBODY_WAITS);
    }

    @Test
    void aJobMayWaitWhileItsKeyIsFull() {
        Story story = new Story().peace();
        story.serves.add(new Serves("w1", "gated", 4));
        LongStream.of(6, 9).forEach(uid -> {
            story.rows.add(row(uid, uid, "running", 1, 0, 0, 20 + uid));
            story.moves.add(new Move(20 + uid, second(9), uid, "gated", "running", "", 20 + uid, 1, 1, 0));
        });
        story.rows.add(row(12, 12, "ready", 0, 0, 0, null));
        story.moves.add(new Move(40, second(10), 12, "gated", "ready", "", 0, 0, 0, 0));

        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain(NOBODY_WAITS, "limits hold");
    }

    @Test
    void aJobMayWaitUnderAFaultAndWhereNobodyIsAwake() {
        Story struck = new Story().peace().fifth(20);
        struck.strikes.add(new Strike("NETWORK_CUT", "w1", second(9), second(19), true));
        Story asleep = new Story().peace().fifth(20);
        asleep.pulses.removeIf(pulse -> pulse.nanos() > second(11) && pulse.nanos() < second(19));

        assertThat(Checker.check(struck.history())).isEmpty();
        assertThat(Checker.check(asleep.history())).isEmpty();
    }

    @Test
    void aNodeThatAFaultSilencedMayBeDeclaredDead() {
        Story story = new Story().peace();
        story.removals.add(new Removal(30, second(30), 2, "w2"));
        story.strikes.add(new Strike("NETWORK_CUT", "w2", second(26), second(29), true));

        assertThat(Checker.check(story.history())).isEmpty();
    }

    @Test
    void aClockThatStepsMayLeaveRunsOut() {
        Story story = new Story();
        story.lives.add(new Life("each-second", 0, second(13)));
        story.strikes.add(new Strike("CLOCK_FORWARD", "", second(3), second(6), false));
        LongStream.of(1, 2, 3, 3_603, 3_604).forEach(at -> story.runs.add(run(at, at)));

        assertThat(Checker.check(story.history())).isEmpty();
    }

    private static Run run(long second, long job) {
        return new Run("each-second", Instant.ofEpochSecond(second), job);
    }

    @Test
    void theTimeUntilAKilledNodesJobRanAgainIsMeasured() {
        assertThat(Recovery.times(new Story().history())).containsExactly(Duration.ofNanos(30));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void everyBrokenPromiseIsFound(String lie, String promise, Consumer<Story> tell) {
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
                lie("a job is in two rooms", "conservation", s -> s.rows.add(row(1, 1, "failed", 1, 0, 1, null))),
                lie(
                        "a job was enqueued twice under its key",
                        "conservation",
                        s -> s.rows.add(row(8, 1, "completed", 1, 0, 0, 10L))),
                lie("a job comes from nowhere", "conservation", s -> s.rows.add(row(9, 9, "completed", 1, 0, 0, 9L))),
                lie("a rolled-back job exists", "conservation", s -> s.rows.add(row(4, 4, "completed", 1, 0, 0, 9L))),
                lie("a rolled-back job ran", "conservation", s -> s.starts.add(new Start("w1", 5, 4, 15, 4, 1, 0))),
                lie("a job changed its id", "conservation", s -> s.rows.set(0, row(7, 1, "completed", 1, 0, 0, 10L))),
                lie("a run has two jobs", "one job for each run", s -> {
                    s.runs.add(run(5, 1));
                    s.runs.add(run(5, 2));
                }),
                lie("a run is left out", "one job for each run", s -> {
                    s.lives.add(new Life("each-second", 0, second(13)));
                    s.strikes.add(new Strike("KILL_WORKER", "w1", second(3), second(6), true));
                    LongStream.of(1, 2, 3, 5, 6, 7, 8).forEach(at -> s.runs.add(run(at, at)));
                }),
                lie("the last payload of a key does not run", "the last payload of a key runs", s -> {
                    s.starts.add(new Start("w1", 5, 4, 15, new Word(2, 6).uid(), 1, 0));
                    s.words.add(new Word(2, 7));
                }),
                lie(
                        "a wait never ends",
                        "waits end as their jobs",
                        s -> s.waits.add(new Wait(s.rows.get(0).id(), Answer.NONE))),
                lie("a recurring job stands still", "one job for each run", s -> {
                    s.lives.add(new Life("each-second", second(2), second(15)));
                    LongStream.of(1, 2).forEach(at -> s.runs.add(run(at, at)));
                }),
                lie("a job of a paused type begins", "operators are obeyed", s -> {
                    s.peace().fifth(20);
                    s.told.removeIf(told -> told.uid() == 5);
                    s.told.add(told(5, 5, Fate.COMMITTED, "steered", Act.SLEEP, 0));
                    s.steering = new Steering(List.of(new Paused(second(12), second(30))), 0, 0, 0);
                }),
                lie(
                        "a bulk action counts a batch twice",
                        "operators are obeyed",
                        s -> s.steering = new Steering(List.of(), 1, 1, 0)),
                lie(
                        "a bulk action goes on for ever",
                        "operators are obeyed",
                        s -> s.steering = new Steering(List.of(), 0, 0, 1)),
                lie(
                        "a third job of a key with a limit of two is claimed",
                        "limits hold",
                        s -> LongStream.of(6, 9, 12).forEach(uid -> {
                            s.rows.add(row(uid, uid, "running", 1, 0, 0, 20 + uid));
                            s.moves.add(new Move(30 + uid, second(1), uid, "gated", "running", "", 20 + uid, 1, 1, 0));
                        })),
                lie("a job overtakes one of its key that is tried again", "order holds", s -> {
                    s.rows.add(row(8, 8, "waiting", 1, 0, 1, null));
                    s.rows.add(row(12, 12, "running", 1, 0, 0, 32L));
                    s.moves.add(new Move(30, second(1), 8, "ordered", "running", "", 28, 1, 1, 0));
                    s.moves.add(new Move(31, second(1), 8, "ordered", "waiting", "retry", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 12, "ordered", "running", "", 32, 1, 1, 0));
                }),
                lie("a job of a workflow begins while one before it is tried again", "steps run in turn", s -> {
                    s.told.add(new Told(
                            8, 8, Fate.COMMITTED, "linked", Act.RETRY, 1, JobOptions.NONE, "workflow 8 0 ENDS"));
                    s.told.add(new Told(
                            9, 9, Fate.COMMITTED, "linked", Act.SLEEP, 1, JobOptions.NONE, "workflow 8 1 ENDS"));
                    s.rows.add(row(8, 8, "waiting", 1, 0, 1, null));
                    s.rows.add(row(9, 9, "running", 1, 0, 0, 32L));
                    s.moves.add(new Move(30, second(1), 8, "linked", "running", "", 28, 1, 1, 0));
                    s.moves.add(new Move(31, second(1), 8, "linked", "waiting", "retry", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie(
                        "a key borrows more than it may",
                        "limits hold",
                        s -> LongStream.of(8, 12, 16, 20).forEach(uid -> {
                            s.rows.add(row(uid, uid, "running", 1, 0, 0, 20 + uid));
                            s.moves.add(new Move(30 + uid, second(1), uid, "lent", "running", "", 20 + uid, 1, 1, 0));
                        })),
                lie("a step that needs success begins after a failure", "steps run in turn", s -> {
                    linked(s, "SUCCESS", "failed", "running");
                    s.moves.add(new Move(31, second(1), 8, "linked", "dead", "failed", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie("a step that waits for a redrive begins before it", "steps run in turn", s -> {
                    linked(s, "HELD", "failed", "running");
                    s.moves.add(new Move(31, second(1), 8, "linked", "dead", "failed", 0, 0, 1, 0));
                    s.moves.add(new Move(32, second(1), 9, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie("a step that needs a failure begins without one", "steps run in turn", s -> {
                    linked(s, "ALARM", "completed", "completed", "completed", "completed", "running");
                    LongStream.rangeClosed(8, 11)
                            .forEach(uid -> s.moves.add(
                                    new Move(20 + uid, second(1), uid, "linked", "done", "completed", uid, 1, 1, 0)));
                    s.moves.add(new Move(32, second(1), 12, "linked", "running", "", 32, 1, 1, 0));
                }),
                lie(
                        "a step stays skipped although all before it completed",
                        "only those are skipped whose turn cannot come",
                        s -> linked(
                                s, "SUCCESS", "completed", "cancelled", "completed", "completed", "failed", "failed")),
                lie(
                        "a step runs although one before it failed for good",
                        "only those are skipped whose turn cannot come",
                        s -> linked(
                                s, "SUCCESS", "failed", "completed", "cancelled", "cancelled", "cancelled", "failed")),
                lie(
                        "a step that waits for a redrive is forgotten",
                        "nobody waits for ever",
                        s -> linked(
                                s, "HELD", "completed", "completed", "completed", "completed", "waiting", "waiting")),
                lie(
                        "an alarm is skipped although something failed",
                        "only those are skipped whose turn cannot come",
                        s -> linked(
                                s, "ALARM", "completed", "failed", "completed", "completed", "cancelled", "completed")),
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
                        s -> s.moves.add(move(16, 1, "dead", "failed", 0, 0, 1, 0))),
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
                lie("a step twice", "steps exactly once", s -> s.steps.add(new Step(1, 2, 12))),
                lie("a step left out", "steps exactly once", s -> s.steps.remove(0)),
                lie("a step of a zombie", "steps exactly once", s -> s.steps.set(0, new Step(1, 1, 13))),
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
                        s -> s.rows.set(0, row(1, 1, "failed", 4, 0, 4, null))),
                lie(
                        "quarantined too early",
                        "attempts are counted right",
                        s -> s.rows.set(0, row(1, 1, "quarantined", 1, 1, 1, null))),
                lie("a job taken from a living node", "only dead nodes lose jobs", s -> s.removals.clear()),
                lie(
                        "a job taken before its node was declared dead",
                        "only dead nodes lose jobs",
                        s -> s.removals.set(0, removal(20, 1, "w1"))),
                lie(
                        "an id without a job",
                        "answered ids are jobs",
                        s -> s.told.add(told(5, 5, Fate.COMMITTED, "plain", Act.SLEEP, 0))),
                lie(
                        "a job dead whose handler returned",
                        "nothing that succeeded is dead",
                        s -> s.moves.set(4, move(5, 1, "dead", "failed", 0, 0, 1, 0))),
                lie(
                        "a job retried whose handler returned",
                        "nothing that succeeded is dead",
                        s -> s.moves.set(4, move(5, 1, "waiting", "retry", 0, 0, 1, 0))),
                lie("an attempt of a handler that never began", "attempts are earned", s -> s.starts.remove(3)),
                lie("a timeout before its time", "attempts are earned", s -> {
                    s.told.set(0, limited(JobOptions.NONE.timeout(Duration.ofSeconds(1))));
                    s.moves.set(4, move(5, 1, "dead", "failed", 0, 0, 1, 0));
                }),
                lie("a job retried that never may be", "retries are the listener's", s -> {
                    s.told.set(0, limited(JobOptions.NONE.maxRetries(0)));
                    s.moves.set(4, move(5, 1, "waiting", "retry", 0, 0, 1, 0));
                }),
                lie(
                        "a claimed job stranded beside an idle node",
                        NOBODY_WAITS,
                        s -> s.peace().fifth(20)),
                lie("a ready job that nobody claims", NOBODY_WAITS, s -> {
                    s.peace().fifth(20);
                    s.moves.removeIf(move -> move.seq() > 16);
                    s.starts.removeIf(start -> start.job() == 5);
                    s.ends.removeIf(end -> end.job() == 5);
                }),
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

    private static Told limited(JobOptions options) {
        return new Told(1, 1, Fate.COMMITTED, "plain", Act.SLEEP, 0, options, "alone");
    }

    /** The jobs of a workflow, from its first on, which end like that. */
    private static void linked(Story story, String shape, String... states) {
        for (int place = 0; place < states.length; place++) {
            long uid = 8 + place;
            story.told.add(new Told(
                    uid,
                    uid,
                    Fate.COMMITTED,
                    "linked",
                    Act.SLEEP,
                    1,
                    JobOptions.NONE,
                    "workflow 8 %d %s".formatted(place, shape)));
            story.rows.add(row(uid, uid, states[place], 1, 0, 0, null));
        }
    }

    private static Arguments lie(String lie, String promise, Consumer<Story> tell) {
        return Arguments.of(lie, promise, tell);
    }
}
