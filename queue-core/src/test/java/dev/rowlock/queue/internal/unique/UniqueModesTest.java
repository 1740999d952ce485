package dev.rowlock.queue.internal.unique;

import static dev.rowlock.queue.job.Enqueued.CREATED;
import static dev.rowlock.queue.job.Enqueued.KEPT;
import static dev.rowlock.queue.job.Enqueued.ONCE_MORE;
import static dev.rowlock.queue.job.Enqueued.POSTPONED;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.schedule.FrozenClock;
import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import dev.rowlock.queue.internal.store.admin.CancelIdleJob;
import dev.rowlock.queue.internal.store.admin.RedriveDeadJob;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.store.claim.QueueRange;
import dev.rowlock.queue.internal.store.cleanup.RemoveFreeKeys;
import dev.rowlock.queue.internal.store.due.DispatchDueJobs;
import dev.rowlock.queue.internal.store.outcome.DeferJobs;
import dev.rowlock.queue.internal.store.unique.GiveKeysBack;
import dev.rowlock.queue.internal.store.unique.ReleaseFollowers;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.KeyHolderStartedException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** What a request does to the job that holds its key, by a clock of the database that only the test moves. It begins at 10:00. */
@PostgresTest
class UniqueModesTest {

    record Index(String what) {}

    private static final UniqueKey KEY = UniqueKey.of("doc-7");
    private static final UniqueKey ONCE = KEY.onceMore();
    private static final UniqueKey REPLACING = KEY.replacing();
    private static final UniqueKey DEBOUNCED = KEY.postponing(Duration.ofMinutes(30));
    private static final Duration DELAY = Duration.ofMinutes(10);
    private static final UnaryOperator<JobOptions> MAIL = o -> o.queue(Rooms.QUEUE);
    private static final UnaryOperator<JobOptions> LATER =
            o -> o.queue(Rooms.QUEUE).delay(DELAY);

    private static FrozenClock clock;

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobOperations jobs;
    private final TransactionTemplate transaction;
    private final ReleaseFollowers release;

    UniqueModesTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
        release = new ReleaseFollowers(rooms.database());
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    // Until when

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

    // Replace

    @Test
    void aReplacedJobHasTheNewPayloadAndAllNewOptionsAndKeepsItsId() {
        EnqueueResult first = ask("first", REPLACING, o -> LATER.apply(o).header("a", "1"));

        EnqueueResult second = ask(
                "second",
                REPLACING,
                o -> o.queue("bulk")
                        .priority(7)
                        .maxRetries(3)
                        .timeout(Duration.ofSeconds(9))
                        .header("b", "2")
                        .delay(Duration.ofHours(1)));

        assertThat(second).isEqualTo(new EnqueueResult(first.id(), REPLACED));
        assertThat(rooms.look(first.id()))
                .containsEntry("state", "waiting")
                .containsEntry("queue", "bulk")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", (int) 3)
                .containsEntry("timeout_millis", 9_000L)
                .hasEntrySatisfying(
                        "headers",
                        headers ->
                                assertThat(headers.toString()).contains("\"b\"").doesNotContain("\"a\""));
        assertThat(payload(first.id())).isEqualTo("second");
        assertThat(due(first.id())).isEqualTo(Instant.parse("2026-11-22T11:00:00Z"));
    }

    @Test
    void aReplacedJobGoesToTheRoomThatItsNewDueTimeNames() {
        long id = ask("first", REPLACING).id();

        ask("second", REPLACING, LATER);
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        ask("third", REPLACING);
        assertThat(rooms.roomsOf(id)).containsExactly("ready");

        assertThat(payload(claim().id())).isEqualTo("third");
    }

    @Test
    void aReplacedJobThatStaysReadyKeepsItsPlaceInTheQueue() {
        long first = ask("first", REPLACING).id();
        clock.advance(Duration.ofSeconds(1));
        rooms.ready(1);
        clock.advance(Duration.ofSeconds(1));

        ask("second", REPLACING);

        assertThat(claim().id()).isEqualTo(first);
    }

    @Test
    void replacingARunningJobFailsAndChangesNothing() {
        long id = ask("first", REPLACING).id();
        claim();

        assertThatThrownBy(() -> ask("second", REPLACING))
                .isInstanceOfSatisfying(
                        KeyHolderStartedException.class,
                        e -> assertThat(e.jobId()).isEqualTo(id))
                .hasMessageContaining("job " + id)
                .hasMessageContaining("'doc-7'")
                .hasMessageContaining("onceMore()");
        assertThatThrownBy(() -> jobs.enqueueEach(List.of(
                        request("other", UniqueKey.of("free")), request("second", REPLACING), request("x", REPLACING))))
                .isInstanceOf(KeyHolderStartedException.class);

        assertThat(payload(id)).isEqualTo("first");
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void replacingAJobThatIsTriedAgainFailsToo() {
        ask("first", REPLACING);
        retry(claim());

        assertThatThrownBy(() -> ask("second", REPLACING)).isInstanceOf(KeyHolderStartedException.class);
    }

    @Test
    void replacingWithAKeyUntilStartedNeverFails() {
        UniqueKey key = KEY.untilStarted().replacing();
        long first = ask("first", key).id();
        claim();

        EnqueueResult second = ask("second", key);
        EnqueueResult third = ask("third", key);

        assertThat(second.what()).isEqualTo(CREATED);
        assertThat(second.id()).isNotEqualTo(first);
        assertThat(third).isEqualTo(new EnqueueResult(second.id(), REPLACED));
        assertThat(payload(first)).isEqualTo("first");
        assertThat(payload(second.id())).isEqualTo("third");
    }

    @Test
    void largePayloadsAreReplacedAndLeaveNothingBehind() {
        String large = Rooms.letters(10_000);
        long id = ask("small", REPLACING).id();

        ask(large, REPLACING);
        assertThat(payload(id)).isEqualTo(large);
        assertThat(rooms.count("payload")).isEqualTo(1);
        ask(large + "2", REPLACING);
        assertThat(payload(id)).isEqualTo(large + "2");
        assertThat(rooms.truth("SELECT bytes = length(payload::text) FROM rowlock.payload"))
                .isTrue();
        ask("small again", REPLACING);

        assertThat(payload(id)).isEqualTo("small again");
        assertThat(rooms.count("payload")).isZero();
    }

    @Test
    void aRolledBackReplacementLeavesTheJobAsItWas() {
        long id = ask("first", REPLACING, LATER).id();
        List<?> before = rooms.everything();

        transaction.executeWithoutResult(status -> {
            assertThat(ask("second", REPLACING).what()).isEqualTo(REPLACED);
            status.setRollbackOnly();
        });

        assertThat(rooms.everything()).isEqualTo(before);
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
    }

    // Postpone

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
                .hasMessageContaining("PT30M");
        assertThatThrownBy(() -> ask("a", DEBOUNCED, o -> o.delay(Duration.ofMinutes(31))))
                .hasMessageContaining("PT31M");
        assertThatThrownBy(() -> ask("a", DEBOUNCED, o -> o.runAt(Instant.parse("2026-11-22T10:01:00Z"))))
                .hasMessageContaining("an instant");
        assertThat(live()).isZero();
    }

    // Once more

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
    void aDelayThatBeganBeforeTheClockWasSetBackBeginsAnew() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        EnqueueResult second = ask("second", ONCE, LATER);
        clock.set("2026-11-20T08:00:00Z");
        rooms.bury(running.claim());

        releaseAll();

        assertThat(due(second.id())).isEqualTo(Instant.parse("2026-11-20T08:10:00Z"));
    }

    @Test
    void aCancelledFurtherRunGivesTheKeyBackToTheJobThatRuns() {
        clock.set(Instant.now()); // a day for which done has a partition
        long first = ask("first", ONCE).id();
        claim();
        long second = ask("second", ONCE).id();

        new CancelIdleJob(rooms.database()).run(second);
        releaseAll();

        assertThat(rooms.count("once_more")).isZero();
        assertThat(ask("third", KEY)).isEqualTo(new EnqueueResult(first, KEPT));
        assertThat(ask("fourth", ONCE).what()).isEqualTo(ONCE_MORE);
    }

    @Test
    void aDeadJobLetsTheFurtherRunGoAndARedriveRunsItBeside() {
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.bury(running.claim());
        releaseAll();
        new RedriveDeadJob(rooms.database()).run(running.id(), new AuditNote("ann", null, "redrive", "a job", null));

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

        new RemoveFreeKeys(rooms.database()).run(RemoveFreeKeys.FRONT, 10);
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
        Followers followers = new Followers(release, new GiveKeysBack(rooms.database()), wakeups);
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

    // Races

    @Test
    void twoRequestsAtOnceMakeOneFurtherRun() {
        ask("first", ONCE);
        claim();

        List<EnqueueResult> all =
                IntStream.range(0, 20)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask("" + i, ONCE)))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();

        assertThat(all).extracting(EnqueueResult::what).containsOnly(ONCE_MORE);
        assertThat(all.stream().map(EnqueueResult::id).distinct()).hasSize(1);
        assertThat(rooms.count("once_more")).isEqualTo(1);
        assertThat(live()).isEqualTo(2);
    }

    @Test
    void aRequestThatWaitsForTheFirstOnesCommitReplacesItsJob() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            JobOperations theirs =
                    FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
            EnqueueResult first = theirs.enqueueUnique(new Index("first"), REPLACING, MAIL);
            CompletableFuture<EnqueueResult> second = CompletableFuture.supplyAsync(() -> ask("second", REPLACING));
            rooms.awaitBlocked();
            other.commit();

            assertThat(second.join()).isEqualTo(new EnqueueResult(first.id(), REPLACED));
            assertThat(payload(first.id())).isEqualTo("second");
        }
    }

    @Test
    void aRequestThatWaitsForAClaimMeetsAJobThatHasStarted() throws Exception {
        ask("first", ONCE);
        long node = rooms.node();
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(Rooms.QUEUE, QueueRange.ALL, 1, node, null);
            CompletableFuture<EnqueueResult> second = CompletableFuture.supplyAsync(() -> ask("second", ONCE));
            rooms.awaitBlocked();
            claiming.commit();

            assertThat(second.join().what()).isEqualTo(ONCE_MORE);
            assertThat(live()).isEqualTo(2);
        }
    }

    @Test
    void aJobThatIsBeingReplacedIsNotClaimedMeanwhile() throws Exception {
        long id = ask("first", REPLACING).id();
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups)
                    .enqueueUnique(new Index("second"), REPLACING, MAIL);
            assertThat(rooms.claim(rooms.node(), 1)).isEmpty();
            other.commit();
        }

        ClaimedJob claimed = claim();
        assertThat(claimed.id()).isEqualTo(id);
        assertThat(payload(id)).isEqualTo("second");
    }

    @Test
    void aJobThatIsBeingReplacedIsNotMadeDueMeanwhile() throws Exception {
        ask("first", ONCE);
        ClaimedJob running = claim();
        long second = ask("second", ONCE).id();
        rooms.complete(running, false);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            FrontDoors.jobs(other.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups)
                    .enqueueUnique(new Index("third"), ONCE, MAIL);
            releaseAll();
            assertThat(rooms.count("once_more")).isEqualTo(1);
            other.commit();
        }

        releaseAll();
        assertThat(dispatched()).isEqualTo(1);
        assertThat(payload(second)).isEqualTo("third");
    }

    @Test
    void bulkCallsWithTheSameKeysInAnotherOrderDoNotDeadlock() {
        for (UniqueKey mode : List.of(KEY.replacing(), KEY.untilStarted(), KEY.onceMore())) {
            rooms.clear();
            List<JobRequest> up = IntStream.range(0, 300)
                    .mapToObj(i -> request("up", named("k%03d".formatted(i), mode)))
                    .toList();
            List<JobRequest> down = IntStream.range(0, 300)
                    .mapToObj(i -> request("down", named("k%03d".formatted(299 - i), mode)))
                    .toList();
            for (int round = 0; round < 5; round++) {
                CompletableFuture<?> one =
                        CompletableFuture.supplyAsync(() -> transaction.execute(status -> jobs.enqueueEach(up)));
                CompletableFuture<?> other =
                        CompletableFuture.supplyAsync(() -> transaction.execute(status -> jobs.enqueueEach(down)));
                one.join();
                other.join();
            }
            assertThat(live()).isEqualTo(300);
        }
    }

    // In bulk

    @Test
    void duplicatesInsideOneCallGetTheAnswersThatTheyWouldGetOneAfterTheOther() {
        UniqueKey debounced = UniqueKey.of("debounced").postponing(Duration.ofMinutes(30));
        List<JobRequest> requests = List.of(
                request("a", REPLACING),
                request("plain", null),
                request("b", REPLACING),
                JobRequest.of(new Index("1"), o -> LATER.apply(o).unique(debounced)),
                request("c", KEY),
                request("d", KEY.untilStarted().replacing()),
                JobRequest.of(new Index("2"), o -> LATER.apply(o).unique(debounced)),
                JobRequest.of(new Index("3"), o -> LATER.apply(o).unique(debounced)),
                request("kept", KEY.within(DELAY)));

        List<Enqueued> together =
                jobs.enqueueEach(requests).stream().map(EnqueueResult::what).toList();
        List<String> stored = stored();
        rooms.clear();
        List<Enqueued> apart = requests.stream()
                .map(request -> jobs.enqueueEach(List.of(request)).get(0).what())
                .toList();

        assertThat(together)
                .isEqualTo(apart)
                .containsExactly(CREATED, CREATED, REPLACED, CREATED, KEPT, REPLACED, POSTPONED, POSTPONED, CREATED);
        assertThat(stored).isEqualTo(stored());
    }

    @Test
    void manyDuplicatesOfARunningJobMakeOneFurtherRun() {
        ask("first", ONCE);
        claim();

        List<EnqueueResult> all = jobs.enqueueEach(
                IntStream.range(0, 500).mapToObj(i -> request("" + i, ONCE)).toList());

        assertThat(all).hasSize(500).extracting(EnqueueResult::what).containsOnly(ONCE_MORE);
        assertThat(all.stream().map(EnqueueResult::id).distinct()).hasSize(1);
        assertThat(payload(all.get(0).id())).isEqualTo("499");
    }

    @Test
    void aStreamCountsOnlyTheJobsThatItInserted() {
        ask("first", ONCE);
        claim();

        long count = jobs.enqueueAll(Stream.of(
                request("a", ONCE),
                request("b", ONCE),
                request("c", UniqueKey.of("x").replacing()),
                request("d", null)));

        assertThat(count).isEqualTo(3);
        assertThat(live()).isEqualTo(4);
    }

    private static UniqueKey named(String value, UniqueKey like) {
        return new UniqueKey(value, like.atLeast(), like.until(), like.onConflict(), like.longestWait());
    }

    private static JobRequest request(String what, UniqueKey key) {
        return JobRequest.of(
                new Index(what),
                o -> key == null ? MAIL.apply(o) : MAIL.apply(o).unique(key));
    }

    private EnqueueResult ask(String what, UniqueKey key) {
        return ask(what, key, MAIL);
    }

    private EnqueueResult ask(String what, UniqueKey key, UnaryOperator<JobOptions> options) {
        return jobs.enqueueUnique(new Index(what), key, options);
    }

    private ClaimedJob claim() {
        return rooms.claim(rooms.node(), 1).get(0);
    }

    private void retry(ClaimedJob job) {
        new DeferJobs(rooms.database())
                .run(List.of(new DeferJobs.Deferred(
                        job.claim(), Due.after(Duration.ofMinutes(1)), null, "retry", Rooms.error("it failed"))));
    }

    private void releaseAll() {
        new GiveKeysBack(rooms.database())
                .run(release.run(ReleaseFollowers.FRONT, 100).cancelled());
    }

    private int dispatched() {
        return new DispatchDueJobs(rooms.database()).run(100).jobs();
    }

    private long live() {
        return rooms.count("waiting") + rooms.count("ready") + rooms.count("running");
    }

    private String payload(long id) {
        return rooms.sql("SELECT payload ->> 'what' FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    private List<String> stored() {
        return rooms.sql(
                        "SELECT state || ' ' || (payload ->> 'what') || ' ' || due_at FROM rowlock.job_details ORDER BY id")
                .query(String.class)
                .list();
    }

    private Instant due(long id) {
        return rooms.sql("SELECT due_at FROM rowlock.waiting WHERE id = ?")
                .param(id)
                .query(java.time.OffsetDateTime.class)
                .single()
                .toInstant();
    }

    private void assertDue(EnqueueResult job, String time) {
        assertThat(due(job.id())).isEqualTo(Instant.parse("2026-11-22T" + time + "Z"));
    }
}
