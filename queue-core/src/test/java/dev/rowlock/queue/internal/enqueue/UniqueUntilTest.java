package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.CREATED;
import static dev.rowlock.queue.job.Enqueued.KEPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Until when a key is held. */
class UniqueUntilTest extends UniqueModesTest {

    UniqueUntilTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void aKeyUntilStartedIsHeldOnlyUntilTheFirstAttemptBegins() {
        UniqueKey key = KEY.untilStarted();
        EnqueueResult first = ask("first", key);
        assertThat(ask("second", key)).isEqualTo(new EnqueueResult(first.id(), KEPT));

        ClaimedJob running = claim();
        EnqueueResult third = ask("third", key);

        assertThat(running.id()).isEqualTo(first.id());
        assertThat(third.what()).isEqualTo(CREATED);
        assertThat(ask("fourth", key)).isEqualTo(new EnqueueResult(third.id(), KEPT));
        assertThat(payload(third.id())).isEqualTo("third");
    }

    @Test
    void aJobThatFailedAndIsTriedAgainHoldsNoKeyUntilStarted() {
        UniqueKey key = KEY.untilStarted();
        ask("first", key);
        retry(claim());

        assertThat(ask("second", key).what()).isEqualTo(CREATED);
    }

    @Test
    void aKeyWithinAPeriodIsHeldForThatPeriodWhateverBecomesOfTheJob() {
        UniqueKey key = KEY.within(Duration.ofHours(1));
        EnqueueResult first = ask("first", key);
        rooms.complete(claim(), false);
        clock.set("2026-11-22T10:59:59.999Z");
        assertThat(ask("second", key)).isEqualTo(new EnqueueResult(first.id(), KEPT));

        clock.set("2026-11-22T11:00:00Z");
        EnqueueResult third = ask("third", key);
        ClaimedJob running = claim();
        clock.set("2026-11-22T12:00:00Z");
        EnqueueResult fourth = ask("fourth", key);

        assertThat(third.what()).isEqualTo(CREATED);
        assertThat(running.id()).isEqualTo(third.id());
        assertThat(fourth.what()).as("though the one before still runs").isEqualTo(CREATED);
    }
}
