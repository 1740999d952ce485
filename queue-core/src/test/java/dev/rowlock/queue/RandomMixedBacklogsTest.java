package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.MixedBacklog.Content;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link MixedBacklogsTest}, with backlogs, rules, handlers and nodes that are drawn. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class RandomMixedBacklogsTest {

    private static final String QUEUE = "mixed";
    private static final String IDLE = "idle";

    /** What a node has claimed already, of both kinds, and what begins while it hears of the new job: with handlers that take no time, up to two whole claims. */
    private static final int AT_ONCE = 2_000;

    /** The same of jobs with keys, of which it claims fewer at once. */
    private static final int KEYS_AT_ONCE = 700;

    /** What begins while a job's delay lasts, with handlers that take no time, and until the node has moved it. */
    private static final int DURING_DELAY = 1_500;

    /** Keys of jobs that are due, or of types that nobody knows. */
    private static final int OTHER_KEYS = 100;

    private static final Duration LONGEST_DELAY = Duration.ofMillis(50);

    private final MixedBacklog mixed;

    RandomMixedBacklogsTest(TestDatabase database) {
        mixed = new MixedBacklog(database);
    }

    static LongStream seeds() {
        return TestSeed.random("mixed backlogs").longs(12, 0, 1_000_000);
    }

    @AfterEach
    void close() throws Exception {
        mixed.close();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nobodyWaitsForTheBacklogOfOthers(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
        int nodes = 1 + random.nextInt(2);
        int keys = random.nextInt(1_000 / nodes);
        int weight = 1 + random.nextInt(5);
        QueueLimit rule = rule(random);
        Duration work = Duration.ofMillis(random.nextInt(4));
        int atOnce = AT_ONCE * nodes;
        int twoRounds = (2 * 2 * (keys + OTHER_KEYS + weight) + KEYS_AT_ONCE) * nodes;
        Content content = content(random, keys, Math.max(atOnce, twoRounds) + DURING_DELAY);
        String drawn = "seed %d: %d nodes, %s, handlers of %s, %s, weight %d"
                .formatted(seed, nodes, rule, work, content, weight);
        Rowlock node = mixed.node(work, List.of(QUEUE, IDLE), UnaryOperator.identity());
        node.limits().set(rule);
        node.limits().weight(QUEUE, "giant", weight);
        mixed.fill(QUEUE, content);
        mixed.holdUp(node, rule);
        node.start();
        for (int i = 1; i < nodes; i++) {
            mixed.node(work, List.of(QUEUE, IDLE), UnaryOperator.identity()).start();
        }
        mixed.awaitBegun(QUEUE, 1 + random.nextInt(500));

        Map<String, Integer> atMost = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
            String name = "new " + i;
            boolean delayed = random.nextInt(4) == 0;
            JobOptions options = delayed
                    ? JobOptions.NONE.delay(Duration.ofMillis(random.nextInt((int) LONGEST_DELAY.toMillis())))
                    : JobOptions.NONE;
            int later = delayed ? DURING_DELAY : 0;
            switch (random.nextInt(3)) {
                case 0 -> {
                    mixed.send(node, name, options.queue(IDLE));
                    atMost.put(name, atOnce + later);
                }
                case 1 -> {
                    mixed.send(node, name, options.queue(QUEUE).priority(7));
                    atMost.put(name, atOnce + later);
                }
                default -> {
                    mixed.send(node, name, options.queue(QUEUE).key((i % 2 == 0 ? "a new one " : "one more ") + i));
                    atMost.put(name, twoRounds + later);
                }
            }
        }

        assertThat(mixed.before(QUEUE, atMost))
                .as(drawn)
                .allSatisfy((name, jobs) -> assertThat(jobs).as(name).isLessThanOrEqualTo(atMost.get(name)));
        assertThat(mixed.neverBroken()).as(drawn).isTrue();
    }

    /** A kind of job that is there at all is there in great number, so that to wait for all of it takes twice as long as anybody may wait. */
    private static Content content(Random random, int keys, int bound) {
        int many = 2 * bound;
        return new Content(
                random.nextInt(4) > 0 ? many : 0,
                keys,
                1 + many / Math.max(1, keys),
                random.nextInt(4) > 0 ? many : 0,
                random.nextInt(1_000),
                random.nextInt(1_000),
                random.nextInt(1_000),
                random.nextInt(50));
    }

    /** The job that holds up its key occupies one of the places of all keys, which are half of those of the queue: another one is left. */
    private static QueueLimit rule(Random random) {
        QueueLimit rule = QueueLimit.of(QUEUE);
        boolean inOrder = random.nextInt(4) == 0;
        rule = random.nextInt(4) == 0 ? rule.maxRunning(4 + random.nextInt(4)) : rule;
        rule = random.nextInt(3) == 0 ? rule.maxRunningPerKey(1) : rule;
        rule = random.nextInt(4) == 0 ? rule.ratePerKey(Rate.perHour(50).burst(1 + random.nextInt(50))) : rule;
        rule = rule.maxRunningPerKey() != null && !inOrder && random.nextBoolean()
                ? rule.burstPerKey(rule.maxRunningPerKey() + 1)
                : rule;
        AfterFailure[] ways = AfterFailure.values();
        return inOrder ? rule.inOrder(ways[random.nextInt(ways.length)]) : rule;
    }
}
