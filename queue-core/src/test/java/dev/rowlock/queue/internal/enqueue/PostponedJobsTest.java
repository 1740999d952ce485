package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.CREATED;
import static dev.rowlock.queue.job.Enqueued.ONCE_MORE;
import static dev.rowlock.queue.job.Enqueued.POSTPONED;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Requests that push the due time of a job back. */
class PostponedJobsTest extends UniqueModesTest {

    PostponedJobsTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void eachRequestPushesTheDueTimeBackUpToTheLongestWait() {
        EnqueueResult first = ask("first", DEBOUNCED, LATER);
        assertThat(first.what()).isEqualTo(CREATED);
        assertDue(first, "10:10:00");

        clock.set("2026-11-22T10:09:00Z");
        EnqueueResult second = ask("second", DEBOUNCED, LATER);
        assertThat(second).isEqualTo(new EnqueueResult(first.id(), POSTPONED));
        assertDue(first, "10:19:00");

        clock.set("2026-11-22T10:18:59Z");
        ask("third", DEBOUNCED, LATER);
        assertDue(first, "10:28:59");

        clock.set("2026-11-22T10:28:00Z");
        ask("fourth", DEBOUNCED, LATER);
        assertDue(first, "10:30:00");
        assertThat(payload(first.id())).isEqualTo("fourth");
        clock.set("2026-11-22T10:30:00Z");
        new DispatchDueJobs(rooms.database()).run(10);
        assertThat(payload(claim().id())).isEqualTo("fourth");
    }

    @Test
    void aRequestWithAShorterDelayDoesNotBringTheJobForward() {
        EnqueueResult first = ask("first", DEBOUNCED, LATER);

        ask("second", DEBOUNCED, o -> o.queue(Rooms.QUEUE).delay(Duration.ofMinutes(1)));

        assertDue(first, "10:10:00");
        assertThat(payload(first.id())).isEqualTo("second");
    }

    @Test
    void aJobThatIsDueTakesTheNewestPayloadAndIsNotPushedBackAnyMore() {
        EnqueueResult first = ask("first", DEBOUNCED, LATER);
        clock.set("2026-11-22T10:10:00Z");
        new DispatchDueJobs(rooms.database()).run(10);

        EnqueueResult second = ask("second", DEBOUNCED, LATER);

        assertThat(second).isEqualTo(new EnqueueResult(first.id(), REPLACED));
        assertThat(payload(claim().id())).isEqualTo("second");
    }

    /** As while no node runs. */
    @Test
    void aJobThatIsDueAndThatNobodyHasMovedIsNotPushedBackEither() {
        EnqueueResult first = ask("first", DEBOUNCED, LATER);
        clock.set("2026-11-22T10:11:00Z");

        EnqueueResult second = ask("second", DEBOUNCED, LATER);

        assertThat(second).isEqualTo(new EnqueueResult(first.id(), REPLACED));
        assertThat(payload(claim().id())).isEqualTo("second");
        assertThat(wakeups.heard()).endsWith("1 ready in " + Rooms.QUEUE + " from rank 0");
    }

    @Test
    void aRequestThatComesWhileADebouncedJobRunsRunsAfterItsEndAndAfterTheDelay() {
        long first = ask("first", DEBOUNCED, LATER).id();
        clock.set("2026-11-22T10:10:00Z");
        new DispatchDueJobs(rooms.database()).run(10);
        ClaimedJob running = claim();

        EnqueueResult second = ask("second", DEBOUNCED, LATER);
        clock.set("2026-11-22T10:15:00Z");
        EnqueueResult third = ask("third", DEBOUNCED, LATER);
        rooms.complete(running, false);
        releaseAll();

        assertThat(second.what()).isEqualTo(ONCE_MORE);
        assertThat(third).isEqualTo(second);
        assertThat(second.id()).isNotEqualTo(first);
        assertDue(second, "10:25:00");
        assertThat(payload(second.id())).isEqualTo("third");
    }

    @Test
    void aJobThatIsPostponedNeedsADelayThatItsLongestWaitAllows() {
        assertThatThrownBy(() -> ask("a", DEBOUNCED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'doc-7'")
                .hasMessageContaining("30m");
        assertThatThrownBy(() -> ask("a", DEBOUNCED, o -> o.delay(Duration.ofMinutes(31))))
                .hasMessageContaining("31m");
        assertThatThrownBy(() -> ask("a", DEBOUNCED, o -> o.runAt(Instant.parse("2026-11-22T10:01:00Z"))))
                .hasMessageContaining("an instant");
        assertThat(live()).isZero();
    }
}
