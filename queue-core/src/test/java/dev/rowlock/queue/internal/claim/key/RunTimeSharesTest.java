package dev.rowlock.queue.internal.claim.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Threads that claim one job after the other, by a clock of the test. */
class RunTimeSharesTest {

    private static final int THREADS = 4;
    private static final Offset<Double> ABOUT = Offset.offset(0.1);
    private static final Duration HOUR = Duration.ofHours(1);

    private record Running(Claim claim, String key, long begun, long ends) {}

    private final Map<String, Duration> backlogs =
            new TreeMap<>(); // how long jobs of a key take that has some at all times
    private final Map<String, Integer> weights = new HashMap<>();
    private final Map<String, Integer> most = new HashMap<>(); // limits
    private final Map<String, Long> ran = new HashMap<>();
    private final PriorityQueue<Running> running = new PriorityQueue<>(Comparator.comparingLong(Running::ends));
    private final RunTimeShares shares = new RunTimeShares(THREADS, this::now);
    private long now = 1;
    private long ids;
    private String last = "";

    RunTimeSharesTest() {
        shares.active(true);
    }

    private long now() {
        return now;
    }

    @Test
    void keysWithLongAndWithShortJobsGetTheSameTime() {
        backlogs.put("long", Duration.ofMillis(100));
        backlogs.put("short", Duration.ofMillis(5));

        Map<String, Double> parts = run(Duration.ofSeconds(10));

        assertThat(parts.get("long")).isCloseTo(0.5, ABOUT);
        assertThat(parts.get("short")).isCloseTo(0.5, ABOUT);
    }

    @Test
    void weightsShareTime() {
        backlogs.put("long", Duration.ofMillis(100));
        backlogs.put("short", Duration.ofMillis(5));
        weights.put("short", 3);

        assertThat(run(Duration.ofSeconds(10)).get("short")).isCloseTo(0.75, ABOUT);
    }

    @Test
    void aKeyThatComesBackHasSavedUpNothing() {
        backlogs.put("busy", Duration.ofMillis(20));
        backlogs.put("late", Duration.ofMillis(20));
        run(Duration.ofSeconds(1));
        backlogs.remove("late");
        run(Duration.ofMinutes(10));

        backlogs.put("late", Duration.ofMillis(20));

        assertThat(run(Duration.ofSeconds(2)).get("late")).isCloseTo(0.5, ABOUT);
    }

    @Test
    void aNewKeyJoinsWhereTheOthersAre() {
        backlogs.put("a", Duration.ofMillis(20));
        backlogs.put("b", Duration.ofMillis(5));
        run(Duration.ofMinutes(10));

        backlogs.put("c", Duration.ofMillis(50));

        run(Duration.ofSeconds(2))
                .forEach((key, part) -> assertThat(part).as(key).isCloseTo(1 / 3.0, ABOUT));
    }

    /** A key at its limit always wants more than it may have. */
    @Test
    void aKeyThatCannotRunHoldsUpNoTime() {
        backlogs.put("full", HOUR);
        most.put("full", 1);
        backlogs.put("a", Duration.ofMillis(20));
        backlogs.put("b", Duration.ofMillis(5));
        run(Duration.ofMinutes(1));

        backlogs.put("c", Duration.ofMillis(50));

        Map<String, Double> parts = run(Duration.ofSeconds(3)); // three threads, as the fourth runs for an hour
        for (String key : List.of("a", "b", "c")) {
            assertThat(parts.get(key)).as("%s of %s", key, parts).isCloseTo(1 / 3.0, ABOUT);
        }
    }

    @Test
    void jobsAreChargedWhileTheyRun() {
        begin("slow", HOUR);
        shares.wanting(Map.of("slow", 1, "quick", 1));
        assertThat(shares.ahead(0, "")).isEmpty();

        now += Duration.ofSeconds(1).toNanos();

        assertThat(shares.ahead(0, "")).containsExactly("slow");
        assertThat(shares.ahead(RunTimeShares.FURTHEST, "")).isEmpty();
    }

    @Test
    void nobodyIsHeldUpWhoIsAlone() {
        begin("slow", HOUR);
        shares.wanting(Map.of("slow", 1));

        now += Duration.ofSeconds(1).toNanos();

        assertThat(shares.ahead(0, "")).isEmpty();
    }

    @Test
    void theOldestKeysAreForgotten() {
        begin("runs", HOUR);
        IntStream.range(0, RunTimeShares.MOST_KEYS + 10).forEach(i -> {
            Claim claim = new Claim(++ids, ids);
            shares.started(claim, "key-" + i);
            now += HOUR.toNanos();
            shares.ended(claim);
        });
        shares.wanting(Map.of("other", 1));

        assertThat(shares.keys()).isEqualTo(RunTimeShares.MOST_KEYS);
    }

    /** Claims go from key to key: those that come late in a claim's order are not served because there are many before them. */
    @Test
    void eachKeyThatIsAheadIsPassedOverHoweverManyThereAre() {
        List<String> all = IntStream.range(0, 5 * RunTimeShares.MOST_AHEAD)
                .mapToObj("key-%05d"::formatted)
                .toList();
        for (String key : all) {
            Claim claim = new Claim(++ids, ids);
            shares.started(claim, key);
            now += Duration.ofSeconds(1).toNanos();
            shares.ended(claim);
        }
        shares.wanting(Map.of("light", 1));

        List<String> passed = new ArrayList<>();
        String from = "";
        while (passed.isEmpty() || !from.equals(passed.get(passed.size() - 1))) {
            from = passed.isEmpty() ? "" : passed.get(passed.size() - 1);
            passed.addAll(shares.ahead(0, from).stream()
                    .filter(key -> !passed.contains(key))
                    .toList());
        }

        assertThat(passed).isEqualTo(all);
    }

    @Test
    void nothingIsKeptWhereJobsAreShared() {
        shares.active(false);

        begin("slow", HOUR);
        shares.wanting(Map.of("slow", 1, "quick", 1));
        now += Duration.ofSeconds(1).toNanos();

        assertThat(shares.keys()).isZero();
        assertThat(shares.ahead(0, "")).isEmpty();
    }

    /** Returns which part of the time each key got of those whose jobs have ended. */
    private Map<String, Double> run(Duration time) {
        long end = now + time.toNanos();
        ran.clear();
        fill();
        while (!running.isEmpty() && running.peek().ends() <= end) {
            Running one = running.remove();
            now = one.ends();
            shares.ended(one.claim());
            ran.merge(one.key(), one.ends() - one.begun(), Long::sum);
            fill();
        }
        now = end;
        double all = ran.values().stream().mapToLong(Long::longValue).sum();
        Map<String, Double> parts = new TreeMap<>();
        ran.forEach((key, nanos) -> parts.put(key, nanos / all));
        return parts;
    }

    /** As claims do: from the key behind the last on, and further ahead where nobody else can. */
    private void fill() {
        for (int reach = 0; running.size() < THREADS && reach <= RunTimeShares.FURTHEST; reach++) {
            List<String> ahead = shares.ahead(reach, "");
            List<String> candidates = new ArrayList<>(backlogs.keySet());
            candidates.removeAll(ahead);
            candidates.removeIf(key -> of(key) >= most.getOrDefault(key, THREADS));
            Map<String, Integer> wanting = new HashMap<>();
            backlogs.keySet().forEach(key -> wanting.put(key, weights.getOrDefault(key, 1)));
            shares.wanting(wanting);
            if (!candidates.isEmpty()) {
                String next = candidates.stream()
                        .filter(key -> key.compareTo(last) > 0)
                        .findFirst()
                        .orElse(candidates.get(0));
                last = next;
                shares.served(Set.of(next));
                begin(next, backlogs.get(next));
                reach = -1;
            }
        }
    }

    private long of(String key) {
        return running.stream().filter(one -> one.key().equals(key)).count();
    }

    private void begin(String key, Duration time) {
        Claim claim = new Claim(++ids, ids);
        running.add(new Running(claim, key, now, now + time.toNanos()));
        shares.started(claim, key);
    }
}
