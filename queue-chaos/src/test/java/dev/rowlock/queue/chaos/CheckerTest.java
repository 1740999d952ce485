package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Lies.NOBODY_WAITS;
import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.run;
import static dev.rowlock.queue.chaos.Story.second;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Recovery;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A history in which every promise held is accepted, also where jobs wait, or nodes die, for a good reason. */
class CheckerTest {

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
    void aJobMayWaitUntilAClaimIsUndoneWhoseAnswerAFaultHasSwallowed() {
        assertThat(Checker.check(new Story().peace().stranded(13).history()))
                .extracting(Violation::promise)
                .doesNotContain(NOBODY_WAITS);
    }

    @Test
    void aJobMayWaitForTheRestOfItsTransaction() {
        Story story = new Story().peace().fifth(20);
        story.moves.replaceAll(move -> move.seq() == 16 ? within("one call", move) : move);
        story.rows.add(row(6, 6, "ready", 0, 0, 0, null));
        story.moves.add(within("one call", new Move(40, second(19), 6, "other", "ready", "", 0, 0, 0, 0)));

        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain(NOBODY_WAITS);
    }

    private static Move within(String transaction, Move move) {
        return new Move(move.seq(), move.nanos(), move.job(), move.queue(), move.room(), transaction, 0, 0, 0, 0);
    }

    @Test
    void aStepMayRunAfterAFailureThatWasACompletedJobTakenAway() {
        Story story = new Story();
        LiesAboutFeaturesTest.linked(story, "ALARM", "completed", "completed", "completed", "completed", "running");
        LongStream.rangeClosed(8, 11)
                .forEach(uid -> story.moves.add(
                        new Move(20 + uid, second(3), uid, "linked", "done", "completed", uid, 1, 1, 0)));
        story.strikes.add(new Strike("PARTITIONS_GONE", "", second(4), second(8), false));
        story.moves.add(new Move(32, second(6), 12, "linked", "running", "", 32, 1, 1, 0));

        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain("steps run in turn");
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

    @Test
    void theTimeUntilAKilledNodesJobRanAgainIsMeasured() {
        assertThat(Recovery.times(new Story().history())).containsExactly(Duration.ofNanos(30));
    }
}
