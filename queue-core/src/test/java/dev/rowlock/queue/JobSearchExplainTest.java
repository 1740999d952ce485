package dev.rowlock.queue;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.CancelRest;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Plants what holds up a job, and asks. */
@PostgresTest(migrated = true)
@Representative
class JobSearchExplainTest {

    private final Rooms rooms;
    private final JobSearch search;

    JobSearchExplainTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
        rooms.execute("DELETE FROM rowlock.pause");
    }

    private List<Kind> kinds(long id) {
        return explain(id).reasons().stream().map(Reason::kind).toList();
    }

    private Explanation explain(long id) {
        return search.explain(id).orElseThrow();
    }

    private long keyed(String key) {
        rooms.large(List.of(new NewJob(QUEUE, "send", 0, null, null, null, "{}", null, key, null)));
        return rooms.number("SELECT max(id) FROM rowlock.ready");
    }

    @Test
    void aJobThatNobodyKnowsHasNoExplanation() {
        assertThat(search.explain(-1)).isEmpty();
    }

    @Test
    void nothingHoldsUpTheFirstJobOfAQueueWithANode() {
        rooms.node();
        long id = rooms.ready();

        assertThat(kinds(id)).containsExactly(Kind.NEXT);
    }

    @Test
    void jobsBeforeItAreCounted() {
        rooms.node();
        rooms.ready(3);
        long id = rooms.ready();

        assertThat(explain(id).reasons())
                .containsExactly(new Reason(Kind.BEHIND_OTHERS, "3 jobs of its queue come before it."));
    }

    /** Ten have completed since half a minute ago, so one takes three seconds. */
    @Test
    void thePaceOfTheLastMinuteSaysHowLongThoseBeforeItTake() {
        rooms.node();
        completed(1_000, QUEUE, 10, 30);
        completed(2_000, "another", 100, 30);
        completed(3_000, QUEUE, 100, 600);
        rooms.ready(8);
        long id = rooms.ready();

        assertThat(explain(id).reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.kind()).isEqualTo(Kind.BEHIND_OTHERS);
            assertThat(reason.text())
                    .matches(
                            "8 jobs of its queue come before it; at the pace of the last minute they take 2[4-9] s\\.");
        });
    }

    @Test
    void aFewJobsSayNothingOfThePace() {
        rooms.node();
        completed(1_000, QUEUE, 4, 30);
        rooms.ready(8);
        long id = rooms.ready();

        assertThat(explain(id).reasons())
                .containsExactly(new Reason(Kind.BEHIND_OTHERS, "8 jobs of its queue come before it."));
    }

    private void completed(long behindId, String queue, int jobs, int secondsAgo) {
        // Soon after midnight it was yesterday.
        rooms.execute("""
                DO $$ DECLARE today timestamptz := date_trunc('day', now(), 'UTC'); BEGIN
                  EXECUTE format('CREATE TABLE IF NOT EXISTS rowlock.done_yesterday PARTITION OF rowlock.done FOR VALUES FROM (%L) TO (%L)',
                                 today - interval '1 day', today);
                END $$
                """);
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type)
                SELECT %d + n, clock_timestamp() - %d * interval '1 s', now(), 0, 1, 0, 'completed', '%s', 'send' FROM generate_series(1, %d) n
                """.formatted(behindId, secondsAgo, queue, jobs));
    }

    @Test
    void aQueueWithoutANodeAndAPauseAreNamed() {
        long id = rooms.ready();
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who, why) VALUES ('queue', 'mail', now(), 'ann', 'slow'), ('queue', 'other', now(), 'bob', NULL)");

        assertThat(kinds(id)).containsExactly(Kind.PAUSED, Kind.NO_NODE);
        assertThat(explain(id).reasons().get(0).text())
                .startsWith("queue 'mail' has been paused since ")
                .endsWith(" by ann (slow).");
    }

    @Test
    void aTypeWithoutAListenerIsNamed() {
        rooms.nodeThatRetries("{\"another\": {\"maxRetries\": 1, \"waits\": [1]}}");
        long id = rooms.ready();

        assertThat(kinds(id)).containsExactly(Kind.NO_LISTENER);
    }

    @Test
    void aDueTimeIsNamed() {
        rooms.node();
        long id = rooms.waiting(Due.after(Duration.ofMinutes(10)));

        assertThat(kinds(id)).containsExactly(Kind.DUE_LATER);
        assertThat(explain(id).reasons().get(0).text()).contains("scheduled");

        rooms.execute("UPDATE rowlock.waiting SET reason = 'snooze'");
        assertThat(explain(id).reasons().get(0).text()).contains("its handler has snoozed it");
    }

    @Test
    void aLimitIsNamedWithTheJobsThatFillIt() {
        long node = rooms.node();
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, max_running_per_key) VALUES ('mail', 2, 1)");
        try {
            keyed("a");
            List<ClaimedJob> running = new ClaimKeyedJobs(rooms.database(), Duration.ZERO)
                    .run(QUEUE, Look.FIRST, 10, 0, Which.ALL, node, null)
                    .batch()
                    .jobs();
            long second = keyed("a");
            assertThat(explain(second).reasons())
                    .containsExactly(new Reason(
                            Kind.KEY_FULL,
                            "1 job of its key runs (%d), which is its limit."
                                    .formatted(running.get(0).id())));

            IntStream.range(0, 3).forEach(i -> keyed("b" + i));
            new ClaimKeyedJobs(rooms.database(), Duration.ZERO).run(QUEUE, Look.FIRST, 10, 0, Which.ALL, node, null);
            assertThat(kinds(second)).containsExactly(Kind.QUEUE_FULL, Kind.KEY_FULL);
            assertThat(kinds(keyed("c"))).containsExactly(Kind.QUEUE_FULL);
        } finally {
            rooms.execute("DELETE FROM rowlock.queue_limit");
        }
    }

    @Test
    void aBurstIsNamed() {
        long node = rooms.node();
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running_per_key, burst_per_key) VALUES ('mail', 1, 2)");
        ClaimKeyedJobs claim = new ClaimKeyedJobs(rooms.database(), Duration.ZERO);
        try {
            keyed("a");
            keyed("a");
            long third = keyed("a");

            claim.run(QUEUE, Look.FIRST, 10, 0, Which.ALL, node, null);
            assertThat(explain(third).reasons().get(0).kind()).isEqualTo(Kind.KEY_BURST);
            assertThat(explain(third).reasons().get(0).text())
                    .matches(
                            "1 job of its key runs \\(\\d+\\), which is its limit\\. It may borrow 1 more place when nobody else wants it; 9 are idle now\\.");

            claim.run(QUEUE, Look.FIRST.borrowing(), 10, 0, Which.ALL, node, null);
            assertThat(explain(third).reasons().get(0).kind()).isEqualTo(Kind.KEY_FULL);
            assertThat(explain(third).reasons().get(0).text())
                    .matches(
                            "2 jobs of its key run \\(\\d+, \\d+\\): the limit is 1, and its burst of 2 is used up\\.");
        } finally {
            rooms.execute("DELETE FROM rowlock.queue_limit");
        }
    }

    @Test
    void whoRunsItIsNamed() {
        ClaimedJob job = rooms.running(1).get(0);

        assertThat(explain(job.id()).reasons())
                .singleElement()
                .satisfies(reason -> assertThat(reason.text()).startsWith("Node 'node' has claimed it at"));
        rooms.execute("UPDATE rowlock.node SET heartbeat_at = now() - interval '1 hour'");
        assertThat(explain(job.id()).reasons().get(0).text()).contains("that node is silent");
    }

    @Test
    void aRequestToStopIsNamed() {
        long id = rooms.running(1).get(0).id();

        FrontDoors.admin(rooms.database(), Wakeups.NONE).cancel(id);

        assertThat(explain(id).reasons().get(0).text()).endsWith(", attempt 1; somebody has asked it to stop.");
    }

    @Test
    void anEndIsNamedWithTheLastErrorButNotWithItsTrace() {
        long id = rooms.dead();
        assertThat(kinds(id)).containsExactly(Kind.ENDED);

        rooms.execute("UPDATE rowlock.dead SET errors = rowlock.with_error('[]', 2::smallint, NULL, '%s')"
                .formatted("{\"type\": \"x.Refused\", \"message\": \"100% full\\nand more\", \"trace\": \"at x\"}"));

        assertThat(explain(id).reasons().get(0).text()).endsWith(": dead at attempt 2: x.Refused: 100% full.");
    }

    @Test
    void whoCancelledItIsNamedIfTheAuditKnows() {
        long byAda = rooms.ready();
        long bySql = rooms.ready();
        long byNobody = rooms.ready();
        FrontDoors.admin(rooms.database(), Wakeups.NONE).by("ada", "wrong").cancel(byAda);
        rooms.number("SELECT count(rowlock.cancel(%d))".formatted(bySql));
        FrontDoors.admin(rooms.database(), Wakeups.NONE).cancel(byNobody);

        assertThat(explain(byAda).reasons().get(0).text()).endsWith(": cancelled by ada (wrong).");
        assertThat(explain(bySql).reasons().get(0).text()).matches(".*: cancelled by \\w+\\.");
        assertThat(explain(byNobody).reasons().get(0).text()).endsWith(": cancelled by application.");
        rooms.execute("DELETE FROM rowlock.audit WHERE who = 'application'");
        assertThat(explain(byNobody).reasons().get(0).text())
                .endsWith(
                        ": cancelled; the audit has no line about this job, for instance because a bulk action cancelled it.");
    }

    @Test
    void theJobWhoseFailureHasCancelledItIsNamed() {
        long failed = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET job_key = 'a', last_job = 1000000");
        long rest = keyed("a");
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, in_order) VALUES ('%s', 'cancel-rest')".formatted(QUEUE));
        new CancelRest(rooms.database()).run(QUEUE, List.of("a"));

        assertThat(explain(rest).reasons().get(0).text())
                .endsWith(": cancelled, because job %d of its key is dead (in-order: cancel-rest).".formatted(failed));
    }
}
