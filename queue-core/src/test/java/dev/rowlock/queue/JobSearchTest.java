package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.record.OutcomeStatements.Deferred;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.JobGlance;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.NodeLoad;
import dev.rowlock.queue.search.NodeSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
@Representative
class JobSearchTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;

    JobSearchTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    // Find

    @Test
    void aReadyJobIsFoundWithAllThatIsKnown() {
        NewJob order = new NewJob(
                "ship", "order", -5, null, 3, Duration.ofSeconds(9), "{\"n\": 1}", "{\"trace\": \"abc\"}", null);
        long id = rooms.ready(List.of(order))[0];

        JobDetails job = search.find(id).orElseThrow();

        assertThat(job.id()).isEqualTo(id);
        assertThat(job.state()).isEqualTo(JobState.READY);
        assertThat(job.queue()).isEqualTo("ship");
        assertThat(job.type()).isEqualTo("order");
        assertThat(job.priority()).isEqualTo(5);
        assertThat(job.attempt()).isZero();
        assertThat(job.crashes()).isZero();
        assertThat(job.maxRetries()).isEqualTo(3);
        assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(job.payload()).isEqualTo("{\"n\": 1}");
        assertThat(job.headers()).isEqualTo(Map.of("trace", "abc"));
        assertThat(job.errors()).isEmpty();
        assertThat(job.dueAt()).isEqualTo(job.enqueuedAt());
        assertThat(job.claimedAt()).isNull();
        assertThat(job.endedAt()).isNull();
        assertThat(job.nodeId()).isNull();
        assertThat(job.result()).isNull();
    }

    @Test
    void aWaitingJobSaysWhyAndUntilWhen() {
        Instant at = Instant.parse("2035-01-02T03:04:05.678901Z");
        long id = rooms.waiting(Due.at(at));

        JobDetails job = search.find(id).orElseThrow();

        assertThat(job.state()).isEqualTo(JobState.WAITING);
        assertThat(job.waitReason()).isEqualTo(WaitReason.SCHEDULED);
        assertThat(job.dueAt()).isEqualTo(at);
    }

    @Test
    void aRunningJobSaysWhereAndHowFar() {
        ClaimedJob running =
                rooms.running(new NewJob("mail", "send", 0, null, null, Duration.ofMinutes(1), "{}", null, null));
        new ClaimStatements(rooms.database()).progress(running.claim(), 40, "4 of 10");

        JobDetails job = search.find(running.id()).orElseThrow();

        assertThat(job.state()).isEqualTo(JobState.RUNNING);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.nodeId()).isPositive();
        assertThat(job.progress()).isEqualTo(40);
        assertThat(job.progressNote()).isEqualTo("4 of 10");
        assertThat(job.claimedAt()).isNotNull();
        assertThat(job.deadline()).isEqualTo(running.deadline());
        assertThat(job.cancelRequested()).isFalse();
    }

    @Test
    void aGlanceAtSomeJobsFindsThemInEveryRoom() {
        ClaimedJob running = rooms.running();
        new ClaimStatements(rooms.database()).progress(running.claim(), 40, "4 of 10");
        long waiting = rooms.waiting(Due.at(Instant.parse("2035-01-02T03:04:05Z")));

        List<JobGlance> found = search.glance(List.of(waiting, running.id(), Long.MAX_VALUE));

        assertThat(found)
                .containsExactlyInAnyOrder(
                        new JobGlance(
                                waiting,
                                JobState.WAITING,
                                search.find(waiting).orElseThrow().type(),
                                0,
                                null,
                                null),
                        new JobGlance(
                                running.id(),
                                JobState.RUNNING,
                                search.find(running.id()).orElseThrow().type(),
                                1,
                                40,
                                "4 of 10"));
        assertThat(search.glance(List.of())).isEmpty();
    }

    @Test
    void aCompletedJobHasItsResult() {
        ClaimedJob running = rooms.running();
        new OutcomeStatements(rooms.database(), true)
                .finish(List.of(new Finished(running.claim(), JobState.COMPLETED, "{\"sent\": 1}")), true);

        JobDetails job = search.find(running.id()).orElseThrow();

        assertThat(job.state()).isEqualTo(JobState.COMPLETED);
        assertThat(job.result()).isEqualTo("{\"sent\": 1}");
        assertThat(job.endedAt()).isNotNull();
    }

    @Test
    void aJobThatFailedHasItsErrorHistoryOldestFirst() {
        ClaimedJob first = rooms.running();
        new OutcomeStatements(rooms.database(), true)
                .defer(List.of(new Deferred(
                        first.claim(),
                        Due.after(Duration.ZERO),
                        null,
                        "retry",
                        "{\"type\": \"java.io.IOException\", \"message\": \"no route\", \"trace\": \"at A\"}")));
        rooms.execute("UPDATE rowlock.waiting SET errors = errors || errors");

        JobDetails job = search.find(first.id()).orElseThrow();

        assertThat(job.errors()).hasSize(2).allSatisfy(error -> {
            assertThat(error.attempt()).isEqualTo(1);
            assertThat(error.type()).isEqualTo("java.io.IOException");
            assertThat(error.message()).isEqualTo("no route");
            assertThat(error.trace()).isEqualTo("at A");
            assertThat(error.at()).isCloseTo(job.enqueuedAt(), within(1, ChronoUnit.MINUTES));
            assertThat(error.startedAt()).isBetween(job.enqueuedAt(), error.at());
        });
    }

    @Test
    void timesOfErrorsAreReadWhateverTheServersTimeZone() {
        ClaimedJob job = rooms.running();
        rooms.execute(
                "UPDATE rowlock.running SET errors = jsonb_build_array(jsonb_build_object('attempt', 1, 'type', 't',"
                        + " 'message', 'm', 'trace', '', 'at', '2026-11-20T10:00:00.5+05:45'))");

        assertThat(search.find(job.id()).orElseThrow().errors().get(0).at())
                .isEqualTo(Instant.parse("2026-11-20T04:15:00.5Z"));
        // Releases before this one did not note it.
        assertThat(search.find(job.id()).orElseThrow().errors().get(0).startedAt())
                .isNull();
    }

    @Test
    void anUnknownJobIsNotFound() {
        assertThat(search.find(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void aJobOfTheCallersTransactionIsFoundInIt() {
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));

        transaction.executeWithoutResult(status -> {
            rooms.execute("INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)"
                    + " VALUES (7, now(), now(), 0, 'mail', 'send', '{}')");
            assertThat(search.find(7)).isPresent();
            status.setRollbackOnly();
        });

        assertThat(search.find(7)).isEmpty();
    }

    // Count

    @Test
    void countsAgreeWithTheRooms() {
        rooms.dead();
        rooms.running(2);
        rooms.ready(3);
        rooms.waiting(Due.after(Duration.ofDays(1)));
        long cancelled = rooms.ready();
        FrontDoors.admin(rooms.database(), new RecordedWakeups()).cancel(cancelled);

        assertThat(search.counts())
                .containsExactlyInAnyOrder(
                        new JobCount("mail", JobState.DEAD, 1),
                        new JobCount("mail", JobState.RUNNING, 2),
                        new JobCount("mail", JobState.READY, 3),
                        new JobCount("mail", JobState.WAITING, 1),
                        new JobCount("mail", JobState.CANCELLED, 1));
    }

    // Nodes

    @Test
    void nodesAreListedUntilTheyAreGone() {
        long alive = rooms.node("alive");
        long silent = rooms.node("silent");
        rooms.sql("UPDATE rowlock.node SET heartbeat_at = heartbeat_at - interval '1 day' WHERE id = ?")
                .param(silent)
                .update();

        assertThat(search.nodes())
                .extracting(NodeSummary::id, NodeSummary::name, NodeSummary::expired)
                .containsExactly(tuple(alive, "alive", false), tuple(silent, "silent", true));
        NodeSummary node = search.nodes().get(0);
        assertThat(node.lease()).isEqualTo(Rooms.LEASE);
        assertThat(node.sinceHeartbeat()).isLessThan(Rooms.LEASE);
        assertThat(node.startedAt())
                .isEqualTo(rooms.sql("SELECT started_at FROM rowlock.node WHERE id = ?")
                        .param(alive)
                        .query(OffsetDateTime.class)
                        .single()
                        .toInstant());
    }

    @Test
    void nodesSayHowManyJobsTheyRunAtOnceAndHowManyTheyHaveClaimed() {
        long one = rooms.node("one");
        long other = rooms.node("other");
        rooms.ready(3);
        List<ClaimedJob> claimed = rooms.claim(one, 2);
        rooms.claim(other, 1);
        rooms.sql("UPDATE rowlock.node SET slots = NULL WHERE id = ?")
                .param(other)
                .update();

        assertThat(search.nodes())
                .extracting(NodeSummary::slots)
                .containsExactly(Map.of(Rooms.QUEUE, 10), Map.of()); // of a release before
        assertThat(search.loads())
                .extracting(NodeLoad::nodeId, NodeLoad::queue, NodeLoad::jobs)
                .containsExactly(tuple(one, Rooms.QUEUE, 2L), tuple(other, Rooms.QUEUE, 1L));
        assertThat(search.loads().get(0).oldestClaim())
                .isEqualTo(search.find(claimed.get(0).id()).orElseThrow().claimedAt());
    }

    @Test
    void allThatANodeHasClaimedIsPaged() {
        long one = rooms.node("one");
        long other = rooms.node("other");
        rooms.ready(6);
        List<Long> claimed = rooms.claim(one, 3).stream()
                .map(ClaimedJob::id)
                .sorted(Comparator.reverseOrder())
                .toList();
        rooms.claim(other, 2);

        FoundJobs first = search.claimedBy(one, Page.first(2));
        FoundJobs second = search.claimedBy(one, Objects.requireNonNull(first.next()));

        assertThat(first.jobs()).extracting(JobSummary::id).isEqualTo(claimed.subList(0, 2));
        assertThat(second.jobs()).extracting(JobSummary::id).isEqualTo(claimed.subList(2, 3));
        assertThat(second.jobs()).extracting(JobSummary::nodeId).containsExactly(one);
        assertThat(second.next()).isNull();
        assertThat(search.claimedBy(4711, Page.first(2)).jobs()).isEmpty();
    }
}
