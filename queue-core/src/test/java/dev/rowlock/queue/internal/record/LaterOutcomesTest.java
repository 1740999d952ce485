package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.record.LaterOutcomes.Later;
import dev.rowlock.queue.internal.record.LaterOutcomes.Reason;
import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaterOutcomesTest {

    private final LaterOutcomes later = new LaterOutcomes();

    private static PendingOutcome outcome(int number) {
        return typed("send", number);
    }

    private static PendingOutcome typed(String type, int number) {
        return TestHeldJob.pending(ClaimedJobs.of(number, type), new Outcome.Completed("result"));
    }

    private static List<PendingOutcome> outcomes(int from, int to) {
        return IntStream.range(from, to).mapToObj(LaterOutcomesTest::outcome).toList();
    }

    private List<PendingOutcome> inOrder() {
        return later.all().stream().map(Later::outcome).toList();
    }

    private long seconds() {
        return Duration.ofNanos(later.nanosUntilDue()).toSeconds();
    }

    private void refuseAll() {
        later.all().forEach(entry -> later.failed(entry, Reason.REFUSED));
    }

    @Test
    void whatWasTriedLeastOftenComesFirstAndThenWhatHasWaitedForLongest() {
        List<PendingOutcome> old = outcomes(0, 3);
        later.add(old, Reason.UNTRIED);
        refuseAll();
        List<PendingOutcome> young = outcomes(3, 5);
        later.add(young, Reason.UNTRIED);

        assertThat(inOrder()).containsExactly(young.get(0), young.get(1), old.get(0), old.get(1), old.get(2));
    }

    @Test
    void typesThatFailComeAfterAllOthers() {
        PendingOutcome bad = typed("bad", 1);
        PendingOutcome good = typed("good", 2);
        later.add(List.of(bad), Reason.UNTRIED);
        for (int tries = 0; tries < 3; tries++) {
            refuseAll();
        }
        later.add(List.of(good), Reason.UNTRIED);
        later.all().forEach(entry -> {
            if (entry.outcome() == good) {
                later.failed(entry, Reason.REFUSED);
            }
        });
        PendingOutcome young = typed("bad", 3);
        later.add(List.of(young), Reason.UNTRIED);

        assertThat(inOrder()).containsExactly(good, young, bad);

        later.settle(later.all().get(1));
        later.roundEnded(false, Duration.ZERO);
        assertThat(inOrder()).as("one of its type was written").containsExactly(bad, good);
    }

    @Test
    void aTypeIsRefusedUntilOneOfItsOutcomesIsWritten() {
        later.add(outcomes(0, 2), Reason.UNTRIED);
        later.failed(later.all().get(0), Reason.UNTRIED);
        later.failed(later.all().get(1), Reason.LOCKED);
        assertThat(later.refuses("send")).isFalse();

        later.failed(later.all().get(0), Reason.REFUSED);
        assertThat(later.refuses("send")).isTrue();

        later.settle(later.all().get(1));
        assertThat(later.refuses("send")).isFalse();
    }

    @Test
    void whereNothingCanBeWrittenAllWaitALittle() {
        later.add(outcomes(0, 2), Reason.UNTRIED);

        later.nothingCanBeWritten();
        later.roundEnded(false, Duration.ZERO);
        assertThat(later.nanosUntilDue()).isGreaterThan(Duration.ofSeconds(1).toNanos());

        later.retryNow();
        assertThat(later.due()).hasSize(2);
    }

    @Test
    void triesInVainAreFollowedByAPauseTenTimesAsLong() {
        later.add(outcomes(0, 5), Reason.UNTRIED);
        refuseAll();

        later.roundEnded(false, Duration.ofSeconds(2));

        assertThat(seconds()).isBetween(15L, 20L);
    }

    @Test
    void noPauseIsLongerThanAMinute() {
        later.add(outcomes(0, 5), Reason.UNTRIED);
        refuseAll();

        later.roundEnded(false, Duration.ofMinutes(5));

        assertThat(seconds()).isBetween(50L, 60L);
    }

    @Test
    void thePauseOfEachGrowsWithItsTries() {
        later.add(outcomes(0, 2), Reason.UNTRIED);
        for (int tries = 0; tries < 20; tries++) {
            refuseAll();
        }
        assertThat(seconds()).isBetween(1L, 2L);

        later.add(outcomes(2, 3), Reason.UNTRIED);

        assertThat(seconds()).isZero();
    }

    @Test
    void lockedRowsAreLookedAtEachSecond() {
        later.add(outcomes(0, 2), Reason.LOCKED);
        for (int tries = 0; tries < 20; tries++) {
            later.all().forEach(entry -> later.failed(entry, Reason.LOCKED));
        }

        assertThat(later.nanosUntilDue()).isBetween(1L, Duration.ofSeconds(1).toNanos());
        assertThat(later.refused()).isZero();
    }

    @Test
    void oneThatCouldBeWrittenLetsTheOthersBeTriedAtOnce() {
        later.add(outcomes(0, 3), Reason.UNTRIED);
        for (int tries = 0; tries < 20; tries++) {
            refuseAll();
        }
        later.settle(later.all().get(1));

        later.roundEnded(true, Duration.ofSeconds(5));

        assertThat(later.due()).hasSize(2);
        assertThat(later.nanosUntilDue()).isNotPositive();
    }

    @Test
    void whatIsSettledIsForgottenWithItsResult() {
        List<PendingOutcome> some = outcomes(0, 3);
        later.add(some, Reason.REFUSED);
        assertThat(later.results()).isEqualTo(18);
        later.settle(later.all().get(0));
        later.replace(
                later.all().get(1),
                some.get(1).withoutResult(OutcomeWriter.notRecorded(some.get(1).outcome(), null)));

        later.roundEnded(false, Duration.ZERO);

        assertThat(later.results()).isEqualTo(6);
        assertThat(later.takeAll()).hasSize(2).contains(some.get(2));
        assertThat(later.isEmpty()).isTrue();
        assertThat(later.results()).isZero();
        assertThat(later.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }
}
