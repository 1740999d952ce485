package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys take turns, also where the queue as a whole has room for few jobs at a time. */
@PostgresTest(freshPerTest = true, migrated = true)
class TurnsOfKeysTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int ROUNDS = 40;
    private static final String NO_KEY = "";
    private static final Rate RATE = Rate.perSecond(300).burst(1);

    record Call(String key) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> began = Collections.synchronizedList(new ArrayList<>());
    private final TestDatabase database;

    TurnsOfKeysTest(TestDatabase database) {
        this.database = database;
    }

    private Rowlock node() {
        return rowlocks.built(Rowlocks.quick(database.dataSource()).listener(Call.class, (call, job) -> {
            began.add(call.key());
        }));
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    static Stream<Arguments> limits() {
        QueueLimit none = QueueLimit.of("default");
        return Stream.of(none.maxRunning(1), none.maxRunning(3), none.rate(RATE))
                .flatMap(limit -> Stream.of(Arguments.of(limit, 1), Arguments.of(limit, 2)));
    }

    @Test
    void keysShareThePlacesOfTheQueueOverTwoNodes() {
        assertShares(QueueLimit.of("default").maxRunning(3), 2, Map.of("a", 1, "b", 1, "c", 1));
    }

    @Test
    void aKeyWithAWeightGetsMoreOfTheRateOfTheQueue() {
        assertShares(QueueLimit.of("default").rate(RATE), 1, Map.of("a", 1, "b", 3, "c", 1));
    }

    @LongRunning
    @ParameterizedTest
    @MethodSource("limits")
    void eachKeyGetsItsShare(QueueLimit limit, int nodes) {
        assertShares(limit, nodes, Map.of("a", 1, "b", 1, "c", 1));
    }

    @LongRunning
    @ParameterizedTest
    @MethodSource("limits")
    void aKeyWithAWeightGetsSoManyTimesMore(QueueLimit limit, int nodes) {
        assertShares(limit, nodes, Map.of("a", 1, "b", 3, "c", 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRateLetsAsManyJobsBeginWithoutKeysAsWithKeys(int nodes) {
        assertShares(QueueLimit.of("default").rate(RATE), nodes, Map.of("a", 1, "b", 1, NO_KEY, 2));
    }

    /** Not half of the jobs: one that takes long, because the machine does, counts as long as it takes. */
    @ParameterizedTest
    @CsvSource({"1,1", "3,2"})
    void jobsWithoutKeysHoldPlacesForHalfOfTheTime(int places, int nodes) {
        int all = begin(QueueLimit.of("default").maxRunning(places), nodes, Map.of("a", 1, "b", 1, NO_KEY, 2));
        Rooms rooms = Rooms.in(database.dataSource(), new Schema("rowlock"));
        await().atMost(LONG).until(() -> rooms.count("done") >= all);

        String held = """
                SELECT (extract(epoch FROM %s) * 1000)::bigint
                  FROM (SELECT job_key, finished_at - claimed_at AS held FROM rowlock.done ORDER BY claimed_at LIMIT %d) AS first
                """;
        long plain = rooms.number(held.formatted("sum(held) FILTER (WHERE job_key IS NULL)", all));
        long keyed = rooms.number(held.formatted("sum(held) FILTER (WHERE job_key IS NOT NULL)", all));
        long longest = rooms.number(held.formatted("max(held)", all));

        // What one has had too much is made up for by the next jobs.
        assertThat(plain).isCloseTo(keyed, within(longest + (plain + keyed) * 3 / 10));
    }

    @LongRunning
    @ParameterizedTest
    @CsvSource({"1,2", "3,1"})
    void jobsWithoutKeysHoldPlacesForHalfOfTheTimeAlsoSo(int places, int nodes) {
        jobsWithoutKeysHoldPlacesForHalfOfTheTime(places, nodes);
    }

    @Test
    void noKeyOfSeveralWaitsUntilOthersHaveNothingMore() {
        assertShares(QueueLimit.of("default").maxRunning(2), 2, many(12));
    }

    @LongRunning
    @Test
    void noKeyOfManyWaitsUntilOthersHaveNothingMore() {
        assertShares(QueueLimit.of("default").maxRunning(2), 2, many(60));
    }

    private static Map<String, Integer> many(int keys) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        IntStream.range(0, keys).forEach(key -> weights.put("key-%02d".formatted(key), 1));
        return weights;
    }

    /** All keys have jobs until the end; each gets its part of those that begin, whichever node claims them. */
    private void assertShares(QueueLimit limit, int nodes, Map<String, Integer> weights) {
        int all = begin(limit, nodes, weights);
        await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(() -> began.size() >= all);

        List<String> some;
        synchronized (began) {
            some = List.copyOf(began.subList(0, all));
        }
        Map<String, Long> got = new LinkedHashMap<>();
        weights.keySet()
                .forEach(key -> got.put(key, some.stream().filter(key::equals).count()));
        assertThat(got).allSatisfy((key, jobs) -> {
            int share = ROUNDS * weights.get(key);
            assertThat(jobs).as("of '%s', of %s", key, got).isBetween(share * 3L / 4, share * 5L / 4);
        });
    }

    /** Starts the nodes, all keys with three times as many jobs as are looked at. Returns how many those are. */
    private int begin(QueueLimit limit, int nodes, Map<String, Integer> weights) {
        Rowlock first = node();
        first.limits().set(limit);
        weights.forEach((key, weight) -> {
            if (weight > 1 && !key.equals(NO_KEY)) {
                first.limits().weight("default", key, weight);
            }
        });
        List<JobRequest> requests = new ArrayList<>();
        weights.forEach((key, weight) -> IntStream.range(0, 3 * ROUNDS * weight)
                .forEach(i -> requests.add(
                        key.equals(NO_KEY)
                                ? JobRequest.of(new Call(key))
                                : JobRequest.of(new Call(key), o -> o.key(key)))));
        first.jobs().enqueueEach(requests);
        int all = weights.values().stream().mapToInt(Integer::intValue).sum() * ROUNDS;
        first.start();
        IntStream.range(1, nodes).forEach(i -> node().start());
        return all;
    }
}
