package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomesApartTest {

    private static final Duration SHORTEST = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofHours(4);

    private final OutcomesApart apart = new OutcomesApart(SHORTEST, LONGEST);

    @Test
    void nothingIsNeverDue() {
        apart.add(List.of());

        assertThat(apart.isEmpty()).isTrue();
        assertThat(apart.due()).isFalse();
    }

    @Test
    void theyAreDueAfterAWhileAndMoreOfThemDoNotPostponeThat() {
        OutcomesApart soon = new OutcomesApart(Duration.ofNanos(2), Duration.ofHours(1));
        soon.add(List.of(entry()));
        while (!soon.due()) {
            Thread.onSpinWait();
        }

        for (int i = 0; i < 40; i++) {
            soon.add(List.of(entry())); // postponed each time, it would wait for an hour
        }

        assertThat(soon.due()).isTrue();
        assertThat(soon.size()).isEqualTo(41);
    }

    @Test
    void theyAreTriedMoreAndMoreRarelyAsLongAsSomeCannotBeWritten() {
        apart.add(List.of(entry()));
        assertThat(apart.due()).isFalse();
        assertThat(hoursUntilDue()).isBetween(0.4, 1.5);

        failAgain();
        assertThat(hoursUntilDue()).isBetween(0.9, 3.0);

        failAgain();
        assertThat(hoursUntilDue()).isBetween(1.9, 6.0);
    }

    @Test
    void onceAllAreWrittenTheNextOnesAreTheFirst() {
        apart.add(List.of(entry()));
        failAgain();
        failAgain();

        apart.take();
        apart.tried();
        apart.add(List.of(entry()));

        assertThat(hoursUntilDue()).isLessThan(1.5);
    }

    @Test
    void theyAreTakenOnce() {
        Recorder.Entry entry = entry();
        apart.add(List.of(entry));

        assertThat(apart.take()).containsExactly(entry);
        assertThat(apart.take()).isEmpty();
    }

    private void failAgain() {
        apart.add(apart.take());
        apart.tried();
    }

    private double hoursUntilDue() {
        return apart.nanosUntilDue() / (double) Duration.ofHours(1).toNanos();
    }

    private static Recorder.Entry entry() {
        return new Recorder.Entry(TestExecution.of(1), new Outcome.Completed(null), Duration.ZERO);
    }
}
