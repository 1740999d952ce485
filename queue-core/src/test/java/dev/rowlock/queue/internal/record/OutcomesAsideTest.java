package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomesAsideTest {

    private final OutcomesAside aside = new OutcomesAside();

    private static PendingOutcome entry(int number) {
        return TestHeldJob.pending(ClaimedJobs.of(number), new Outcome.Completed("result"));
    }

    private static List<PendingOutcome> entries(int from, int to) {
        return IntStream.range(from, to).mapToObj(OutcomesAsideTest::entry).toList();
    }

    private void refuse(int times) {
        IntStream.range(0, times).forEach(i -> aside.addRefused(aside.take()));
    }

    @Test
    void whatNobodyHasTriedByItselfComesFirstAndThenWhatHasWaitedForLongest() {
        List<PendingOutcome> old = entries(0, 3);
        aside.add(old);
        refuse(3);
        List<PendingOutcome> young = entries(3, 5);
        aside.add(young);

        assertThat(IntStream.range(0, 5).mapToObj(i -> aside.take()))
                .containsExactly(young.get(0), young.get(1), old.get(0), old.get(1), old.get(2));
        assertThat(aside.isEmpty()).isTrue();
        assertThat(aside.results()).isZero();
    }

    @Test
    void triesInVainAreFollowedByAPauseTenTimesAsLong() {
        aside.add(entries(0, 5));
        refuse(2);

        aside.tried(false, Duration.ofSeconds(2));

        assertThat(seconds()).isBetween(15L, 20L);
    }

    @Test
    void noPauseIsLongerThanAMinute() {
        aside.add(entries(0, 5));
        refuse(2);

        aside.tried(false, Duration.ofMinutes(5));

        assertThat(seconds()).isBetween(50L, 60L);
    }

    @Test
    void whatCouldNotBeWrittenTogetherDoesNotWaitForTheEndOfAPause() {
        aside.add(entries(0, 1));
        refuse(1);
        aside.tried(false, Duration.ofSeconds(5));

        aside.add(entries(1, 2));

        assertThat(seconds()).isZero();
    }

    @Test
    void thePauseGrowsFromRoundToRoundOnly() {
        aside.add(entries(0, 1_000));
        for (int look = 0; look < 999; look++) {
            refuse(1);
            aside.tried(false, Duration.ZERO);
        }
        assertThat(seconds()).isZero();

        for (int round = 0; round < 20; round++) {
            refuse(1_000);
            aside.tried(false, Duration.ZERO);
        }
        assertThat(seconds()).isGreaterThan(10);
    }

    @Test
    void oneThatCouldBeWrittenLetsTheOthersBeTriedAtOnce() {
        aside.add(entries(0, 2));
        refuse(1);
        aside.tried(false, Duration.ofSeconds(5));
        aside.take();

        aside.tried(true, Duration.ofSeconds(5));

        assertThat(aside.due()).isTrue();
    }

    @Test
    void resultsAreTakenFromThoseThatHaveWaitedForLongest() {
        List<PendingOutcome> old = entries(0, 1);
        aside.add(old);
        refuse(1);
        aside.add(entries(1, 2));

        assertThat(aside.takeWithResult()).isSameAs(old.get(0));
        assertThat(aside.results()).isEqualTo("result".length());
        assertThat(aside.takeWithResult()).isNotNull();
        assertThat(aside.takeWithResult()).isNull();
    }

    private long seconds() {
        return aside.due() ? 0 : Duration.ofNanos(aside.nanosUntilDue()).toSeconds();
    }
}
