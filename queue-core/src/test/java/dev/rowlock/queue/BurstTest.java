package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Keys borrow idle places, over two nodes. Nodes do not poll while a test lasts: whatever begins, begins because somebody was woken.
 */
@PostgresTest(freshPerTest = true, migrated = true)
class BurstTest {

    private static final Duration NO_POLLS = Duration.ofMinutes(5);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int THREADS = 12;
    private static final int STEPS = 40;

    record Work(int number) {}

    /** What the handlers saw. One lock for all: what is counted must be what runs at that moment. */
    private final class Seen {

        private final List<Running> running = new ArrayList<>();
        private final Map<String, Integer> ready = new TreeMap<>(); // enqueued and not begun
        private int most;
        private int mostOfKey;
        private boolean over; // jobs that begin now end at once

        synchronized Running begins(JobContext job) {
            Running one = new Running(job.key().orElseThrow(), new CountDownLatch(over ? 0 : 1));
            running.add(one);
            ready.merge(one.key(), -1, Integer::sum);
            most = Math.max(most, running.size());
            mostOfKey = Math.max(mostOfKey, of(one.key()));
            return one;
        }

        synchronized void enqueued(String key) {
            ready.merge(key, 1, Integer::sum);
        }

        /** Ends the one that began as this number, counted modulo how many run. Its place is free before its handler returns. */
        synchronized String end(int number) {
            Running one = running.remove(Math.floorMod(number, running.size()));
            one.mayEnd().countDown();
            return one.key();
        }

        synchronized void endAll() {
            over = true;
            running.forEach(one -> one.mayEnd().countDown());
        }

        synchronized int of(String key) {
            return (int) running.stream().filter(one -> one.key().equals(key)).count();
        }

        synchronized int all() {
            return running.size();
        }

        synchronized Map<String, Integer> byKey() {
            Map<String, Integer> counts = new TreeMap<>();
            ready.keySet().forEach(key -> counts.put(key, of(key)));
            return counts;
        }

        /** Keys that wait with less than this running. */
        synchronized List<String> waitingBelow(int limit) {
            return ready.keySet().stream()
                    .filter(key -> ready.get(key) > 0 && of(key) < limit)
                    .toList();
        }
    }

    private record Running(String key, CountDownLatch mayEnd) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Seen seen = new Seen();
    private final TestDatabase database;
    private int enqueued;

    BurstTest(TestDatabase database) {
        this.database = database;
    }

    static LongStream seeds() {
        return TestSeed.random("places of keys").longs(8, 0, 1_000_000);
    }

    @AfterEach
    void close() throws Exception {
        seen.endAll();
        rowlocks.close();
    }

    private Rowlock node(int threads) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(threads)
                        .withFetch(new FetchSettings(NO_POLLS, Duration.ofMillis(250), 100)))
                .listener(
                        Work.class,
                        o -> o.queue("shared"),
                        (work, job) -> seen.begins(job).mayEnd().await()));
    }

    /** Both run before the first job comes: otherwise one would take all. */
    private Rowlock twoNodes(int threads, QueueLimit rule) {
        Rowlock first = node(threads);
        first.limits().set(rule);
        first.start();
        node(threads).start();
        await().until(() -> JdbcClient.create(database.dataSource())
                        .sql("SELECT count(*) FROM rowlock.node WHERE 'shared' = ANY (queues)")
                        .query(Integer.class)
                        .single()
                == 2);
        return first;
    }

    private void enqueue(Rowlock rowlock, List<String> keys) {
        List<JobRequest> requests = new ArrayList<>();
        for (String key : keys) {
            requests.add(new JobRequest(new Work(enqueued++), JobOptions.NONE.key(key)));
            seen.enqueued(key);
        }
        rowlock.jobs()
                .enqueueAll(
                        requests.stream()
                                .map(r ->
                                        new JobRequest(r.payload(), r.options().queue("shared"))),
                        id -> {});
    }

    private static List<String> jobs(String key, int count) {
        return IntStream.range(0, count).mapToObj(i -> key).toList();
    }

    @Test
    void aKeyBorrowsIdleThreadsUpToItsBurst() {
        Rowlock rowlock =
                twoNodes(4, QueueLimit.of("shared").maxRunningPerKey(1).burstPerKey(6));

        enqueue(rowlock, jobs("a", 20));

        await().atMost(LONG).until(() -> seen.of("a") == 6);
        enqueue(rowlock, jobs("b", 20));
        await().atMost(LONG).until(() -> seen.all() == 8);
        assertThat(seen.byKey()).containsEntry("a", 6).containsEntry("b", 2);
    }

    @Test
    void borrowedPlacesGoToWhoeverIsBelowItsOwnLimit() {
        Rowlock rowlock = twoNodes(
                THREADS,
                QueueLimit.of("shared").maxRunning(8).maxRunningPerKey(1).burstPerKey(8));
        enqueue(rowlock, jobs("m", 50));
        await().atMost(LONG).until(() -> seen.of("m") == 8);

        for (String late : List.of("a", "z", "b", "y")) {
            enqueue(rowlock, jobs(late, 3));
            seen.end(seen.of("m") % 3); // one of m's: they began first
            await().atMost(LONG).until(() -> seen.all() == 8);

            assertThat(seen.of(late)).as(late).isEqualTo(1);
        }
        assertThat(seen.byKey()).containsEntry("m", 4);
    }

    /**
     * Draws limits, enqueues and ends. After each step it waits until nobody waits while there is room; then no key may have been given a
     * borrowed place that another one, below its own limit, waits for. Except now and then: a node that has just found nobody below a limit lends
     * with its next claim, and owners may come between the two.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void placesAreNeverIdleNorLentWhileTheirOwnersWait(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
        int limit = 1 + random.nextInt(2);
        int burst = limit + 1 + random.nextInt(4);
        int places = 3 + random.nextInt(6);
        Rowlock rowlock = twoNodes(
                THREADS,
                QueueLimit.of("shared")
                        .maxRunning(places)
                        .maxRunningPerKey(limit)
                        .burstPerKey(burst));

        List<String> lent = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            Map<String, Integer> before = seen.byKey();
            if (seen.all() > 0 && random.nextInt(3) > 0) {
                before.merge(seen.end(random.nextInt(100)), -1, Integer::sum);
            } else {
                enqueue(
                        rowlock,
                        random.ints(1 + random.nextInt(8), 0, 4)
                                .mapToObj(key -> "key-" + key)
                                .toList());
            }

            String as = "seed %d, step %d: %d places, %d of a key, %d with its burst"
                    .formatted(seed, step, places, limit, burst);
            await(as)
                    .atMost(LONG)
                    .until(() ->
                            seen.all() >= places || seen.waitingBelow(burst).isEmpty());
            List<String> owners = seen.waitingBelow(limit);
            seen.byKey().forEach((key, now) -> {
                if (!owners.isEmpty() && now > Math.max(limit, before.getOrDefault(key, 0))) {
                    lent.add("%s: %s has %d; %s wait, before: %s".formatted(as, key, now, owners, before));
                }
            });
        }

        assertThat(lent).hasSizeLessThanOrEqualTo(STEPS / 20);
        assertThat(seen.most).isLessThanOrEqualTo(places);
        assertThat(seen.mostOfKey).isLessThanOrEqualTo(burst);
    }

    @LongRunning
    @ParameterizedTest
    @MethodSource("seeds")
    void placesAreNeverIdleNorLentWhateverIsDrawn(long seed) {
        placesAreNeverIdleNorLentWhileTheirOwnersWait(seed);
    }
}
