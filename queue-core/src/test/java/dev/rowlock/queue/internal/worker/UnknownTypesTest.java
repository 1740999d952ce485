package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest
class UnknownTypesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

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
    void manyComeBackOneAfterTheOtherButNotForEver() {
        assertThat(wait(10_001)).isEqualTo(SECOND.plusMillis(100_000));
        assertThat(wait(300_000)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void onceTheyAreGoneThoseThatComeLaterWaitNoLonger() {
        wait(10_000);
        now += Duration.ofMinutes(5).toNanos();

        assertThat(wait(1)).isEqualTo(SECOND);
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
