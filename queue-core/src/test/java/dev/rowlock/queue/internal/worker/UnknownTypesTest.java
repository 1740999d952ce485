package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@PostgresTest
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
    void aFewComeBackSoon() {
        assertThat(wait(1)).isEqualTo(SECOND);
        assertThat(wait(9)).isLessThan(SECOND.multipliedBy(2));
    }

    @Test
    void manyComeBackOneAfterTheOther() {
        assertThat(wait(5_001)).isEqualTo(SECOND.plusMillis(50_000));
    }

    @Test
    void whatADeploymentBringsComesBackWithinAMinuteHoweverManyThereAre() {
        assertThat(waits(300_000)).allSatisfy(wait -> assertThat(wait).isBetween(SECOND, MINUTE));
    }

    @Test
    void thoseForWhomThereIsNoRoomDoNotComeBackAtOnce() {
        List<Duration> waits = waits(100_000);

        for (long second = 30; second < 60; second++) {
            long from = second;
            assertThat(waits).filteredOn(wait -> wait.toSeconds() == from).hasSizeBetween(1_000, 10_000);
        }
    }

    @Test
    void theyWaitNoLongerThanTheirTypeHasBeenUnknownUpToTenMinutes() {
        wait(10_000);
        now += MINUTE.multipliedBy(4).toNanos();
        assertThat(Collections.max(waits(100_000))).isBetween(MINUTE.multipliedBy(3), MINUTE.multipliedBy(4));

        for (int i = 0; i < 10; i++) {
            now += MINUTE.multipliedBy(10).toNanos();
            wait(1);
        }
        assertThat(Collections.max(waits(300_000))).isBetween(MINUTE.multipliedBy(9), MINUTE.multipliedBy(10));
    }

    @Test
    void aTypeThatWasGoneForLongIsNew() {
        wait(1);
        now += Duration.ofDays(30).toNanos();

        assertThat(Collections.max(waits(300_000))).isLessThanOrEqualTo(MINUTE);
    }

    @Test
    void onceTheyAreGoneThoseThatComeLaterWaitNoLonger() {
        wait(10_000);
        now += MINUTE.multipliedBy(5).toNanos();

        assertThat(wait(1)).isEqualTo(SECOND);
    }

    private List<Duration> waits(int jobs) {
        return Stream.generate(() -> wait(1)).limit(jobs).toList();
    }

    /** Of the last of so many. */
    private Duration wait(int jobs) {
        Duration last = Duration.ZERO;
        for (int i = 0; i < jobs; i++) {
            last = ((Outcome.UnknownType) types.putAside(job, now)).shortest();
        }
        return last;
    }
}
