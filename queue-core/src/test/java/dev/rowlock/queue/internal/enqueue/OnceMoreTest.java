package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.KEPT;
import static dev.rowlock.queue.job.Enqueued.ONCE_MORE;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.enqueue.OnceMoreFeature.Followers;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that come while a job runs, and the one further run that they make. */
class OnceMoreTest extends UniqueModesTest {

    OnceMoreTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void requestsThatComeWhileAJobRunsMakeExactlyOneFurtherRunWithTheNewestPayload() {
        long first = ask("first", ONCE).id();
        ClaimedJob running = claim();

        EnqueueResult second = ask("second", ONCE);
        EnqueueResult third = ask("third", ONCE);
        releaseAll();

        assertThat(second.what()).isEqualTo(ONCE_MORE);
        assertThat(third).isEqualTo(second);
        assertThat(second.id()).isNotEqualTo(first);
        assertThat(rooms.look(second.id())).containsEntry("state", "waiting").containsEntry("reason", "once-more");
        assertThat(dispatched()).as("while the first one runs").isZero();

        rooms.complete(running, false);
        releaseAll();
        assertThat(dispatched()).isEqualTo(1);
        assertThat(claim().id()).isEqualTo(second.id());
        assertThat(payload(second.id())).isEqualTo("third");
        assertThat(rooms.count("once_more")).isZero();
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void aJobThatHasNotStartedTakesTheNewestPayload() {
        long first = ask("first", ONCE, LATER).id();

        assertThat(ask("second", ONCE, LATER)).isEqualTo(new EnqueueResult(first, REPLACED));

        assertThat(payload(first)).isEqualTo("second");
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void theFurtherRunWaitsUntilAJobThatIsTriedAgainHasEnded() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        ask("second", ONCE);

        retry(running);
        releaseAll();
        assertThat(rooms.count("once_more")).isEqualTo(1);

        clock.advance(Duration.ofMinutes(1));
        dispatched();
        ClaimedJob again = claim();
        assertThat(again.id()).isEqualTo(running.id());
        releaseAll();
        assertThat(rooms.count("once_more")).isEqualTo(1);
        rooms.bury(again.claim());
        releaseAll();
        assertThat(dispatched()).isEqualTo(1);
    }

    @Test
    void whileAFurtherRunWaitsItHoldsTheKeyForOrdinaryRequestsToo() {
        ask("first", ONCE);
        claim();
        long second = ask("second", ONCE).id();

        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(second, KEPT));
        assertThat(ask("fourth", REPLACING)).isEqualTo(new EnqueueResult(second, ONCE_MORE));

        assertThat(payload(second)).isEqualTo("fourth");
        assertThat(rooms.count("once_more")).isEqualTo(1);
    }

    @Test
    void aRequestBetweenTheEndOfTheRunAndTheNextLookChangesTheJobThatWaits() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        EnqueueResult second = ask("second", ONCE);
        rooms.complete(running, false);

        assertThat(ask("third", ONCE)).isEqualTo(second);
        releaseAll();

        assertThat(dispatched()).isEqualTo(1);
        assertThat(payload(claim().id())).isEqualTo("third");
    }

    @Test
    void theFurtherRunIsDueAfterItsOwnDelay() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        EnqueueResult second = ask("second", ONCE, LATER);
        rooms.complete(running, false);

        releaseAll();

        assertDue(second, "10:10:00");
        assertThat(rooms.look(second.id())).containsEntry("reason", "scheduled");
    }

    @Test
    void aDelayLastsLongerByAsMuchAsTheClockIsSetBack() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        EnqueueResult second = ask("second", ONCE, LATER);
        clock.set("2026-11-20T08:00:00Z");
        rooms.bury(running.claim());

        releaseAll();

        assertThat(due(second.id())).isEqualTo(Instant.parse("2026-11-22T10:10:00Z"));
    }

    @Test
    void aCancelledFurtherRunGivesTheKeyBackToTheJobThatRuns() {
        clock.set(Instant.now()); // a day for which done has a partition
        long first = ask("first", ONCE).id();
        claim();
        long second = ask("second", ONCE).id();

        new JobStatements(rooms.database()).cancelIdle(second, null);
        releaseAll();

        assertThat(rooms.count("once_more")).isZero();
        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(first, KEPT));
        assertThat(ask("fourth", ONCE).what()).isEqualTo(ONCE_MORE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "run now"})
    void aFurtherRunRunsOnceThoughSomebodyTookItAwayWhileTheRunEndedAndRolledBack(String what) throws Exception {
        clock.set(Instant.now()); // a day for which done has a partition
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.complete(running, false);

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            boolean taken = what.equals("cancel")
                    ? new JobStatements(other.database()).cancelIdle(second, null)
                    : new JobStatements(other.database())
                            .runNow(second, new AuditNote("ann", null, "run now", "a job", null))
                            .isPresent();
            assertThat(taken).isTrue();
            releaseAll();
            other.rollback();
        }

        assertThat(rooms.count("once_more")).isEqualTo(1);
        releaseAll();
        assertThat(dispatched()).isEqualTo(1);
        assertThat(claim().id()).isEqualTo(second);
        releaseAll();
        assertThat(dispatched()).isZero();
        assertThat(live()).isEqualTo(1);
        assertThat(rooms.count("once_more")).isZero();
    }

    @Test
    void aDeadJobLetsTheFurtherRunGoAndARedriveRunsItBeside() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.bury(running.claim());
        releaseAll();
        new JobStatements(rooms.database()).redrive(running.id(), new AuditNote("ann", null, "redrive", "a job", null));

        assertThat(dispatched()).isGreaterThanOrEqualTo(1);
        assertThat(rooms.roomsOf(second)).containsExactly("ready");
        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(second, KEPT));
    }

    @Test
    void aRolledBackRequestRemembersNothing() {
        long first = ask("first", ONCE).id();
        claim();

        transaction.executeWithoutResult(status -> {
            ask("second", ONCE);
            status.setRollbackOnly();
        });

        assertThat(rooms.count("once_more")).isZero();
        assertThat(live()).isEqualTo(1);
        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(first, KEPT));
    }

    @Test
    void theSweepOfFreeKeysLosesNoFurtherRun() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.complete(running, false);

        new Leftovers(rooms.database()).freeKeys(Leftovers.FIRST_KEY, 10);
        releaseAll();

        assertThat(dispatched()).isEqualTo(1);
        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(second, KEPT));
    }

    @Test
    void nodesHearOfAFurtherRunAfterTheCommit() {
        ask("first", ONCE);
        claim();
        int before = wakeups.heard().size();

        transaction.executeWithoutResult(status -> {
            ask("second", ONCE);
            assertThat(wakeups.heard()).hasSize(before);
        });

        assertThat(wakeups.heard()).hasSize(before + 1);
    }

    @Test
    void theChoreLooksSoonAgainWhileAJobWaitsForAnEndAndWakesTheDispatcherThen() {
        Followers followers = new Followers(release, wakeups);
        assertThat(followers.runOnce()).isEqualTo(Duration.ofSeconds(15));
        ask("first", ONCE);
        ClaimedJob running = claim();
        ask("second", ONCE);
        assertThat(followers.runOnce()).isEqualTo(Duration.ofMillis(250));
        rooms.complete(running, false);
        int before = wakeups.heard().size();

        assertThat(followers.runOnce()).isEqualTo(Duration.ofSeconds(15));

        assertThat(wakeups.heard()).hasSize(before + 1);
    }
}
