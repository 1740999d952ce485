package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many jobs of a key run at once, over two nodes. */
class LimitedKeysTest extends NodeTest {

    private static final Duration LONG = Duration.ofSeconds(60); // where many other tests run beside it

    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> most = new ConcurrentHashMap<>();
    private final AtomicInteger ended = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private volatile boolean failing; // each tenth job, once
    private TestNode second;

    @BeforeEach
    void listen(TestDatabase database) {
        second = new TestNode(database);
        for (TestNode each : new TestNode[] {node, second}) {
            each.listener(Greet.class, (job, payload) -> run(payload));
        }
    }

    private Object run(String payload) throws InterruptedException {
        String key = payload.replaceAll("[^a-z]|name", "");
        AtomicInteger now = running.computeIfAbsent(key, k -> new AtomicInteger());
        most.merge(key, now.incrementAndGet(), Math::max);
        if (key.equals("slow")) {
            mayEnd.await();
        } else {
            Thread.yield(); // others begin meanwhile, if they may
        }
        now.decrementAndGet();
        if (failing && payload.contains("0\"") && failed.add(payload)) {
            throw new IllegalStateException("once");
        }
        ended.incrementAndGet();
        return null;
    }

    @AfterEach
    void closeSecond() {
        mayEnd.countDown();
        second.close();
    }

    @Test
    void aKeyNeverRunsMoreThanItsLimitAllowsAndAllItsJobsRun() {
        limits().set(QueueLimit.of("default").maxRunningPerKey(1));
        enqueue("a", 200);
        enqueue("b", 200);

        node.start();
        second.start();

        await().until(() -> ended.get() == 400);
        assertThat(most).containsEntry("a", 1).containsEntry("b", 1);
    }

    @Test
    void aQueueNeverRunsMoreThanItsLimitAllows() {
        limits().set(QueueLimit.of("default").maxRunning(3));
        node.jobs.enqueueAll(IntStream.range(0, 300).mapToObj(i -> JobRequest.of(new Greet("a" + i))), id -> {});

        node.start();
        second.start();

        await().until(() -> ended.get() == 300);
        assertThat(most.get("a")).isEqualTo(3);
    }

    @Test
    void aKeyThatIsBlockedHoldsUpNoOther() {
        limits().set(QueueLimit.of("default").maxRunningPerKey(1));
        enqueue("slow", 20);
        node.start();
        await().until(() -> most.containsKey("slow"));

        enqueue("quick", 50);

        await().until(() -> ended.get() == 50);
        await().until(() -> node.count("running") == 1); // the outcomes of the others are written
    }

    @Test
    void aLimitThatIsSetWhileJobsRunCountsThose() {
        node.start();
        second.start();
        node.jobs.enqueueAll(IntStream.range(0, 4).mapToObj(i -> JobRequest.of(new Greet("slow"))), id -> {});
        await().until(() -> running.containsKey("slow") && running.get("slow").get() == 4);

        limits().set(QueueLimit.of("default").maxRunning(4));
        node.jobs.enqueueAll(IntStream.range(0, 20).mapToObj(i -> JobRequest.of(new Greet("quick"))), id -> {});
        node.awaitTwoHeartbeats();

        assertThat(most).doesNotContainKey("quick");
        mayEnd.countDown();
        await().until(() -> ended.get() == 24);
        assertThat(most.get("quick")).isLessThanOrEqualTo(4);
    }

    /** What a node remembers of keys, it remembers of a rule that has been there for a minute. */
    @Test
    void itsLimitHoldsAndAllItsJobsRunAlsoWhereNodesGoOnFromWhatTheyRemember() {
        limits().set(QueueLimit.of("default").maxRunningPerKey(2));
        node.sql
                .sql("UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '1 h'")
                .update();
        failing = true;
        for (String key : List.of("a", "b", "c")) {
            enqueue(key, 200, 3);
        }

        node.start();
        second.start();

        await().until(() -> ended.get() == 600);
        assertThat(most).isEqualTo(Map.of("a", 2, "b", 2, "c", 2));
        assertThat(failed).hasSize(3 * 20);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(LONG);
    }

    private QueueLimits limits() {
        return Rowlock.builder(node.pool).build().limits();
    }

    private void enqueue(String key, int jobs) {
        enqueue(key, jobs, 1);
    }

    private void enqueue(String key, int jobs, int priorities) {
        node.jobs.enqueueAll(
                IntStream.range(0, jobs)
                        .mapToObj(i -> JobRequest.of(
                                new Greet(key + i), o -> o.key(key).priority(i % priorities))),
                id -> {});
    }
}
