package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Plants what goes wrong with nodes, jobs and chores, and reads what the doctor says. {@link TableChecksTest} plants what goes wrong with tables. */
@PostgresTest(migrated = true)
@Representative
class QueueChecksTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Rooms rooms;

    QueueChecksTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        rooms.execute("DELETE FROM rowlock.pause");
    }

    private Finding only(Check check) {
        return Examined.only(rooms.database(), check);
    }

    private void isSilent(Check check) {
        Examined.isSilent(rooms.database(), check);
    }

    // Queues

    @Test
    void aQueueWithReadyJobsAndNoNodeIsNamedUnlessItIsPaused() {
        rooms.ready();

        assertThat(only(check("queue-without-node", Map.of("ready_minutes", 0))).cause())
                .isEqualTo("Queue 'mail' has ready jobs, and no living node serves it.");

        rooms.execute("INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'mail', now(), 'ann')");
        assertThat(only(check("queue-without-node", Map.of("ready_minutes", 0))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void jobsOfAPausedTypeNeedNoNode() {
        rooms.ready();
        rooms.sql("INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('type', ?, now(), 'ann')")
                .param(Rooms.job().type())
                .update();

        assertThat(only(check("queue-without-node", Map.of("ready_minutes", 0))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void aRecurringJobThatSkipsAgainAndAgainIsNamedWithTheJobThatDoesNotEnd() {
        long job = rooms.running().id();
        rooms.sql("""
                        INSERT INTO rowlock.schedule (name, every_millis, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank, queue, type, payload, next_at, last_at, last_job_id)
                        VALUES ('nightly', 60000, 0, 'skip', 1, 0, 'skip', 0, 'mail', 'greet', '{}', now(), now(), ?)
                        """).param(job).update();
        try {
            rooms.execute("UPDATE rowlock.schedule SET skipped_in_a_row = 2");
            isSilent(check("skipped-runs"));

            rooms.execute("UPDATE rowlock.schedule SET skipped_in_a_row = 38");

            Finding finding = only(check("skipped-runs"));
            assertThat(finding.status()).isEqualTo(Status.WARN);
            assertThat(finding.cause())
                    .startsWith("The recurring job 'nightly' has skipped 38 runs in a row: its job %d has run since "
                            .formatted(job));
        } finally {
            rooms.execute("DELETE FROM rowlock.schedule");
        }
    }

    private static final Check RULES = check("limit-without-node");

    @Test
    void aLimitAPolicyAndAWeightOfAQueueThatNobodyServesAreNamed() {
        rooms.node();
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, declared, changed_at) SELECT queue, 1, declared, now() - interval '2 min' FROM (VALUES ('improts', false), ('mail', false), ('declared', true)) AS v (queue, declared)");
        rooms.execute(
                "INSERT INTO rowlock.key_weight (queue, job_key, weight) VALUES ('mial', 'a', 2), ('mial', 'b', 2), ('mail', 'a', 2)");
        rooms.execute(
                "INSERT INTO rowlock.policy (queue, asked_at, decides_until) VALUES ('rendr', now(), clock_timestamp() + interval '1 min'), ('old', now(), clock_timestamp() - interval '1 min')");
        try {
            Finding finding = only(RULES);

            assertThat(finding.status()).isEqualTo(Status.INFO);
            assertThat(finding.cause())
                    .isEqualTo("Queue 'improts' has a limit, and no living node serves it. Nodes serve: mail.");
            assertThat(finding.evidence().rows())
                    .satisfiesExactly(
                            row -> assertThat(row).contains("queue=improts", "rule=a limit"),
                            row -> assertThat(row).contains("queue=mial", "rule=keys with a weight"),
                            row -> assertThat(row).contains("queue=rendr", "rule=a policy"));

            rooms.execute("UPDATE rowlock.node SET queues = '{improts,mail,mial,rendr}', slots = '{1,1,1,1}'");
            isSilent(RULES);
        } finally {
            rooms.execute("DELETE FROM rowlock.queue_limit");
            rooms.execute("DELETE FROM rowlock.key_weight");
            rooms.execute("DELETE FROM rowlock.policy");
        }
    }

    @Test
    void aLimitThatWasSetJustNowAndOneWhileThereAreNoNodesAreNotNamed() {
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, declared, changed_at) VALUES ('old', 1, false, now() - interval '1 h')");
        isSilent(RULES);

        rooms.node();
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = now()");
        try {
            isSilent(RULES);
        } finally {
            rooms.execute("DELETE FROM rowlock.queue_limit");
        }
    }

    // Types

    private static final Check UNLISTENED = check("type-without-listener");

    private void putAside(ClaimedJob job) {
        rooms.defer(job.claim(), Due.after(Duration.ofSeconds(5)));
        rooms.execute("UPDATE rowlock.waiting SET reason = 'unknown-type', enqueued_at = now() - interval '5 minutes'");
    }

    @Test
    void jobsThatNodesPutAsideAreNamedUnlessALivingNodeKnowsTheirType() {
        rooms.nodeThatRetries("{\"another\": {\"maxRetries\": 1, \"waits\": [1]}}");
        ready(3).forEach(this::putAside);
        rooms.execute("DELETE FROM rowlock.node WHERE retries IS NULL");

        Finding finding = only(UNLISTENED);

        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.cause())
                .isEqualTo(
                        "Queue 'mail' has jobs of type 'send', and no living node of the queue has a listener for them.");
        assertThat(finding.evidence().rows().get(0)).contains("jobs=3");

        rooms.nodeThatRetries("{\"send\": {\"maxRetries\": 1, \"waits\": [1]}}");
        isSilent(UNLISTENED);
        rooms.execute(
                "UPDATE rowlock.node SET heartbeat_at = now() - interval '1 hour' WHERE jsonb_exists(retries, 'send')");
        assertThat(only(UNLISTENED).status()).isEqualTo(Status.FAIL);
    }

    @Test
    void readyJobsOfATypeThatNobodyListensToAreNamedBehindOthersToo() {
        rooms.nodeThatRetries("{\"another\": {\"maxRetries\": 1, \"waits\": [1]}}");
        rooms.ready(2);
        rooms.execute("UPDATE rowlock.ready SET ready_at = now() - interval '5 minutes'");

        assertThat(only(UNLISTENED).evidence().rows())
                .singleElement()
                .asString()
                .contains("type=send", "jobs=2");

        rooms.execute("INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('type', 'send', now(), 'ann')");
        isSilent(UNLISTENED);
    }

    @Test
    void youngJobsAndThoseThatWaitForARetryAreNotYetOfAnUnknownType() {
        rooms.nodeThatRetries("{\"another\": {\"maxRetries\": 1, \"waits\": [1]}}");
        rooms.ready(2);
        rooms.waiting(Due.after(Duration.ofSeconds(30)));

        isSilent(UNLISTENED);
    }

    private List<ClaimedJob> ready(int jobs) {
        return rooms.running(jobs);
    }

    // Dead nodes

    private static final Check STUCK = check("stuck-jobs");

    @Test
    void jobsOfANodeThatIsGoneAreNamedOnceARescueShouldHaveComeForThem() {
        long node = rooms.running(2).get(0).claim().jobId();
        isSilent(STUCK);
        rooms.execute(
                "INSERT INTO rowlock.past_node SELECT id, name, started_at, now() - interval '2 minutes', true FROM rowlock.node");
        rooms.execute("DELETE FROM rowlock.node");

        Finding finding = only(STUCK);

        assertThat(node).isPositive();
        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.cause())
                .startsWith("2 jobs belong to node 'node'")
                .endsWith("no other node lives that would take them back.");

        rooms.node();
        assertThat(only(STUCK).cause()).endsWith("no other node has taken them back.");
        rooms.execute("UPDATE rowlock.past_node SET ended_at = now()");
        isSilent(STUCK);
    }

    @Test
    void jobsOfASilentNodeAreNamedThoughItsRowIsThere() {
        rooms.running(2);
        rooms.execute("UPDATE rowlock.node SET lease_millis = 30000, heartbeat_at = now() - interval '119 seconds'");
        isSilent(STUCK);

        rooms.execute("UPDATE rowlock.node SET heartbeat_at = now() - interval '121 seconds'");

        assertThat(only(STUCK).evidence().rows()).singleElement().asString().contains("jobs=2", "gone=f");
    }

    @Test
    void aNodeThatLosesItsLeaseTwiceWithinAnHourIsNamed() {
        lost("flapping", "50 minutes");
        lost("flapping", "2 hours");
        lost("killed", "1 minute");
        rooms.execute(
                "INSERT INTO rowlock.past_node VALUES (nextval('rowlock.node_id'), 'killed', now(), now(), false)");
        isSilent(check("flapping-lease"));

        lost("flapping", "1 minute");

        assertThat(only(check("flapping-lease")).cause())
                .startsWith("Node 'flapping' has lost its lease 2 times within 60 minutes");
    }

    private void lost(String name, String ago) {
        rooms.sql(
                        "INSERT INTO rowlock.past_node VALUES (nextval('rowlock.node_id'), ?, now() - interval '1 day', now() - ?::interval, true)")
                .params(name, ago)
                .update();
    }

    // Jobs that fail

    @Test
    void manyDeathsOfOneErrorAreNamedWithItsFingerprintAndWithoutItsMessage() {
        rooms.running(3).forEach(job -> rooms.bury(job.claim()));
        isSilent(check("dead-jobs", Map.of("deaths", 4)));

        Finding finding = only(check("dead-jobs", Map.of("deaths", 3)));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .isEqualTo(
                        "3 jobs have died of one error within 60 minutes, the last one of type 'send': java.lang.IllegalStateException.");
        assertThat(finding.toString()).doesNotContain("it failed");

        rooms.execute("UPDATE rowlock.dead SET job_key = 'tenant-7', last_job = id");
        assertThat(only(check("dead-jobs", Map.of("deaths", 3))).cause())
                .startsWith(
                        "3 jobs have died of one error within 60 minutes, nearly all of them of key 'tenant-7', the last");
        rooms.execute("UPDATE rowlock.dead SET job_key = id::text");
        assertThat(only(check("dead-jobs", Map.of("deaths", 3))).cause()).doesNotContain("of key");
        rooms.execute("UPDATE rowlock.dead SET died_at = now() - interval '61 minutes'");
        isSilent(check("dead-jobs", Map.of("deaths", 3)));
    }

    @Test
    void jobsThatMayTakeNodesDownAreNamed() {
        rooms.running(1);
        rooms.execute("UPDATE rowlock.running SET crashes = 1");
        rooms.dead();
        Check check = check("node-killers");
        isSilent(check);

        rooms.execute("UPDATE rowlock.running SET crashes = 2");
        assertThat(only(check).cause()).startsWith("2 times the node of job").endsWith("and it runs again.");

        rooms.execute("TRUNCATE rowlock.running");
        rooms.execute("UPDATE rowlock.dead SET state = 'quarantined', crashes = 3");
        assertThat(only(check).cause()).startsWith("3 times the node of job").endsWith(": it is in quarantine.");
        rooms.execute("UPDATE rowlock.dead SET died_at = now() - interval '2 days'");
        isSilent(check);
    }

    @Test
    void aClockThatWasSetBackIsNamedUntilTheJobsFromBeforeAreBroughtForward() {
        Check check = check("clock-set-back");
        for (int i = 0; i < 4; i++) {
            rooms.waiting(Due.after(HOUR));
        }
        isSilent(check);

        rooms.execute(
                "UPDATE rowlock.waiting SET enqueued_at = enqueued_at + interval '1 h', due_at = due_at + interval '1 h'"
                        + " WHERE id > (SELECT min(id) FROM rowlock.waiting)");
        rooms.execute("UPDATE rowlock.waiting SET reason = 'parents' WHERE id = (SELECT max(id) FROM rowlock.waiting)");

        Finding finding = only(check);
        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause())
                .matches("The clock of the database was set back by 3[56]\\d\\d s at least: 2 jobs .*");

        JobFilter enqueuedBefore = JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(Instant.now()));
        assertThat(FrontDoors.admin(rooms.database(), Wakeups.NONE).bringForward(enqueuedBefore, HOUR))
                .isEqualTo(2);
        isSilent(check);
    }

    @Test
    void aKeyInOrderThatWaitsForAFailedJobIsNamed() {
        Check check = check("held-keys");
        rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET job_key = 'a', died_at = now() - interval '1 hour'");
        rooms.large(List.of(keyed(), keyed()));
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, in_order) VALUES ('mail', 'continue')");
        isSilent(check);

        rooms.execute("UPDATE rowlock.queue_limit SET in_order = 'hold'");

        assertThat(only(check).cause()).startsWith("2 jobs of key 'a' of queue 'mail' wait for job ");
        rooms.execute("UPDATE rowlock.dead SET died_at = now()");
        isSilent(check);
    }

    @Test
    void aKeyInOrderWhoseFailedJobWasSkippedIsNotNamed() {
        Check check = check("held-keys");
        rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET job_key = 'a', died_at = now() - interval '1 hour'");
        rooms.large(List.of(keyed(), keyed()));
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, in_order) VALUES ('mail', 'hold')");
        assertThat(only(check).evidence().rows()).hasSize(1);

        new LimitStatements(rooms.database())
                .skipDead("mail", "a", new AuditNote("ann", null, "skip", "queue mail", null));

        isSilent(check);
    }

    @Test
    void aPolicyThatGivesNoAnswerIsNamedAsLongAsSomebodyAsksItOrJobsWait() {
        Check check = check("silent-policies");
        rooms.execute("""
                INSERT INTO rowlock.policy (queue, asked_at, decides_until)
                VALUES ('mail', now(), now() + interval '5 s')
                """);
        isSilent(check);

        rooms.execute("UPDATE rowlock.policy SET decides_until = now() - interval '1 s'");

        assertThat(only(check).cause())
                .startsWith("The policy of queue 'mail' has given no good answer since")
                .endsWith("its jobs run in their normal order.");
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, in_order) VALUES ('mail', 'hold')");
        assertThat(only(check).cause()).contains("is not asked, because jobs of each key run in order");
        rooms.execute("UPDATE rowlock.policy SET asked_at = now() - interval '2 min'");
        isSilent(check);
        rooms.execute("DELETE FROM rowlock.queue_limit");
        rooms.execute(
                "INSERT INTO rowlock.held_job (job_id, due_at, ready_at, rank, queue) VALUES (1, now(), now(), 0, 'mail')");
        assertThat(only(check).cause()).startsWith("No node has asked the policy of queue 'mail' since");
    }

    private static NewJob keyed() {
        return new NewJob(Rooms.QUEUE, "send", 0, null, null, null, "{}", null, "a", null);
    }

    // Chores

    @Test
    void aChoreThatNoNodeBeginsAnyMoreIsNamedIfANodeHasLivedThatLong() {
        rooms.execute(
                "INSERT INTO rowlock.chore VALUES ('retention', now() - interval '5 hours', now() - interval '290 minutes'), ('past nodes', now() - interval '5 days', now() - interval '4 days')");
        rooms.node();
        Check check = check("stale-chore");
        isSilent(check);

        rooms.execute("UPDATE rowlock.node SET started_at = now() - interval '6 hours'");

        assertThat(only(check).cause()).startsWith("No node has begun the chore 'retention' since");
        assertThat(only(check).evidence().rows()).hasSize(1);
        rooms.execute("UPDATE rowlock.node SET heartbeat_at = now() - interval '1 hour'");
        isSilent(check);
    }

    @Test
    void aChoreOfThisProcessThatFailsForLongIsNamed() {
        isSilent(failing("retention", Duration.ofSeconds(5), true));
        isSilent(failing("retention", HOUR, false));

        Finding finding = only(failing("retention", HOUR, true));

        assertThat(finding.cause()).startsWith("The chore 'retention' of this process fails");
        assertThat(finding.evidence().sql()).isEmpty();
        assertThat(only(failing("rescue", null, true)).status()).isEqualTo(Status.WARN);
    }

    @Test
    void aChoreThatDoesNotGetThrough() {
        Check check = chores(new ChoreStatus("workflow sweep", Duration.ZERO, false, Duration.ofMinutes(11)));

        Finding finding = only(check);

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause()).contains("'workflow sweep'", "far behind", "PT11M");
        assertThat(only(chores(new ChoreStatus("workflow sweep", Duration.ZERO, false, Duration.ofMinutes(9))))
                        .status())
                .isEqualTo(Status.OK);
    }

    private static Check failing(String chore, @Nullable Duration sinceSuccess, boolean failing) {
        return chores(new ChoreStatus(chore, sinceSuccess, failing, null));
    }

    private static Check chores(ChoreStatus chore) {
        NodeStatus status = new WorkerNode.Status(
                NodeStatus.State.RUNNING,
                1,
                true,
                true,
                true,
                List.of(),
                0,
                0,
                List.of(),
                List.of(chore),
                null,
                List.of(),
                List.of(),
                Duration.ZERO);
        return ProcessChecks.failingChore(() -> status);
    }
}
