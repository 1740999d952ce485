package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomeBacklogTest {

    private static final int QUARTER = (int) OutcomeBacklog.MANY_RESULTS / 4;

    private final OutcomeBacklog unwritten = new OutcomeBacklog();

    private void add(int outcomes, int result) {
        PendingOutcome entry = TestHeldJob.pending(
                ClaimedJobs.of(1, "send"), new Outcome.Completed(result == 0 ? null : "x".repeat(result)));
        IntStream.range(0, outcomes).forEach(i -> unwritten.add(entry));
    }

    @Test
    void moreOutcomesThanTheBoundCountAsMany() {
        add(OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        add(1, 0);

        assertThat(unwritten.many()).isTrue();
        assertThat(unwritten.manyResults()).isFalse();
    }

    @Test
    void outcomesThatWaitApartDoNotCountUpToAsManyAgain() {
        add(2 * OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isTrue();

        unwritten.apart(OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(2 * OutcomeBacklog.MANY, 0);
        add(1, 0);
        assertThat(unwritten.many()).isTrue();
    }

    @Test
    void resultsThatWaitApartDoNotCountUpToAsManyAgain() {
        add(8, QUARTER);
        assertThat(unwritten.manyResults()).isTrue();

        unwritten.apart(4, OutcomeBacklog.MANY_RESULTS);
        assertThat(unwritten.manyResults()).isFalse();
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(8, 2 * OutcomeBacklog.MANY_RESULTS);
        add(1, QUARTER);
        assertThat(unwritten.manyResults()).isTrue();
        assertThat(unwritten.many()).isTrue();
    }

    @Test
    void aWriteIsInVainSinceThenNothingOfItCouldBeWritten() {
        assertThat(unwritten.inVain(in(Duration.ofMinutes(1))))
                .as("nothing is written")
                .isZero();
        unwritten.tried(true);
        assertThat(unwritten.inVain(in(Duration.ofMinutes(1))))
                .as("what waited apart")
                .isZero();

        unwritten.begins();
        unwritten.tried(false);
        assertThat(unwritten.inVain(in(Duration.ofMinutes(1)))).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(unwritten.behind(in(Duration.ofSeconds(1)))).isFalse();
        assertThat(unwritten.behind(in(Duration.ofSeconds(6)))).isTrue();

        Duration before = unwritten.inVain(in(Duration.ofMinutes(1)));
        unwritten.tried(true);
        assertThat(unwritten.inVain(System.nanoTime())).isLessThan(before);
        unwritten.ends();
        assertThat(unwritten.behind(in(Duration.ofMinutes(1)))).isFalse();
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    @Test
    void aResultThatIsGivenUpLeavesRoom() {
        add(5, QUARTER);

        unwritten.removeResult(QUARTER);

        assertThat(unwritten.manyResults()).isFalse();
        assertThat(unwritten.outcomes()).isEqualTo(5);
    }
}
