package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimedRow;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class UnknownTypesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final UnknownTypes types = new UnknownTypes();
    private final ClaimedJob job;
    private long now = 1_000;

    UnknownTypesTest(TestDatabase database) {
        job = Rooms.emptyIn(database).running();
    }

    @Test
    void aFewJobsComeBackSoon() {
        assertThat(wait(1)).isEqualTo(SECOND);
        assertThat(wait(9)).isLessThan(SECOND.multipliedBy(2));
    }

    @Test
    void manyJobsComeBackOneAfterTheOther() {
        assertThat(wait(5_001)).isEqualTo(SECOND.plusMillis(50_000));
    }

    @Test
    void jobsThatADeploymentBringsComeBackWithinAMinuteHoweverManyThereAre() {
        assertThat(waits(300_000)).allSatisfy(wait -> assertThat(wait).isBetween(SECOND, MINUTE));
    }

    @Test
    void jobsForWhichThereIsNoRoomDoNotComeBackAllAtOnce() {
        List<Duration> waits = waits(100_000);

        for (long second = 30; second < 60; second++) {
            long from = second;
            assertThat(waits).filteredOn(wait -> wait.toSeconds() == from).hasSizeBetween(1_000, 10_000);
        }
    }

    @Test
    void oldJobsComeBackOneAfterTheOtherWithinTenMinutes() {
        wait(10_001);
        assertThat(put().longest()).isEqualTo(SECOND.plusMillis(100_010));

        wait(100_000);
        assertThat(put().longest()).isBetween(MINUTE.multipliedBy(5), MINUTE.multipliedBy(10));
    }

    @Test
    void laterJobsWaitNoLongerOnceTheEarlierOnesAreGone() {
        wait(10_000);
        now += MINUTE.multipliedBy(5).toNanos();

        assertThat(wait(1)).isEqualTo(SECOND);
    }

    @Test
    void aThousandTypesAreRememberedAndThoseMetLongestAgoAreForgotten() {
        wait(5_000);
        IntStream.range(0, 999).forEach(i -> types.putAside(ofType("other " + i), now));
        assertThat(wait(1)).as("one of a thousand").isEqualTo(SECOND.plusMillis(50_000));

        IntStream.range(0, 1_000).forEach(i -> types.putAside(ofType("another " + i), now));

        assertThat(wait(1)).as("one more than a thousand").isEqualTo(SECOND);
    }

    private ClaimedJob ofType(String type) {
        return new ClaimedRow(
                job.claim(),
                job.queue(),
                type,
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                job.claimedAt(),
                null,
                null,
                null,
                null,
                null,
                null,
                false);
    }

    @Test
    void theLogNamesATypeOnceAMinuteAndSaysHowManyJobsThereWere() {
        try (LogLines log = new LogLines(UnknownTypes.class.getName())) {
            wait(100);
            now += MINUTE.toNanos();
            wait(1);

            assertThat(log.lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).startsWith("WARN").contains("type 'send'"));
            assertThat(log.lines().get(0)).contains("(1 since the last such line)");
            assertThat(log.lines().get(1)).contains("(100 since the last such line)");
        }
    }

    private List<Duration> waits(int jobs) {
        return Stream.generate(() -> wait(1)).limit(jobs).toList();
    }

    /** Of the last of so many. */
    private Duration wait(int jobs) {
        Duration last = Duration.ZERO;
        for (int i = 0; i < jobs; i++) {
            last = put().shortest();
        }
        return last;
    }

    private Outcome.UnknownType put() {
        return (Outcome.UnknownType) types.putAside(job, now);
    }
}
