package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.ShareBy;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that share run time, with real jobs. */
@PostgresTest(freshPerTest = true, migrated = true)
class SharedRunTimeTest {

    private static final long ENOUGH = Duration.ofSeconds(15).toNanos();
    private static final Duration LONG = Duration.ofSeconds(60);

    record Work(long millis) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Map<String, Long> ran = new ConcurrentHashMap<>();
    private final TestDatabase database;
    private final CountDownLatch over = new CountDownLatch(1); // what begins now ends at once, and does not count

    SharedRunTimeTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        over.countDown();
        rowlocks.close();
    }

    private void work(Work work, JobContext job) throws InterruptedException {
        long begun = System.nanoTime();
        if (!over.await(work.millis(), TimeUnit.MILLISECONDS)) {
            ran.merge(job.key().orElseThrow(), System.nanoTime() - begun, Long::sum);
        }
    }

    private Rowlock node(QueueLimit rule) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .limit(rule.shareBy(ShareBy.RUN_TIME))
                .listener(Work.class, o -> o.queue("shared"), this::work));
    }

    private void enqueue(Rowlock rowlock, String key, long millis, int jobs) {
        rowlock.jobs()
                .enqueueAll(
                        IntStream.range(0, jobs)
                                .mapToObj(i -> new JobRequest(
                                        new Work(millis),
                                        JobOptions.NONE.queue("shared").key(key))),
                        id -> {});
    }

    @Test
    void aTenantWithLongJobsAndOneWithShortOnesGetTheSameTime() {
        Rowlock rowlock = node(QueueLimit.of("shared"));
        enqueue(rowlock, "long", 100, 200);
        enqueue(rowlock, "short", 5, 2_000);

        rowlock.start();

        await().atMost(LONG)
                .until(() -> ran.values().stream().mapToLong(Long::longValue).sum() >= ENOUGH);
        over.countDown();
        double longs = ran.getOrDefault("long", 0L);
        double part = longs / ran.values().stream().mapToLong(Long::longValue).sum();
        assertThat(part).isBetween(0.3, 0.7); // by jobs: 0.95
    }

    /** The other one, at its limit, wants more and has run a thousand times less by its weight. */
    @Test
    void aKeyThatIsAheadRunsWhereNobodyElseCan() {
        Rowlock rowlock = node(QueueLimit.of("shared").maxRunningPerKey(1));
        rowlock.limits().weight("shared", "full", 1_000);
        rowlock.start();
        enqueue(rowlock, "ahead", 500, 1);
        await().atMost(LONG).until(() -> ran.containsKey("ahead"));
        enqueue(rowlock, "full", LONG.toMillis(), 2);
        await().atMost(LONG)
                .until(() -> rowlock.search()
                                .count(JobFilter.where().key("full").states(JobState.RUNNING), 10)
                                .jobs()
                        == 1);
        long before = ran.get("ahead");

        enqueue(rowlock, "ahead", 1, 5);

        await().atMost(LONG.dividedBy(4)).until(() -> ran.get("ahead") >= before + 5 * 1_000_000);
    }
}
