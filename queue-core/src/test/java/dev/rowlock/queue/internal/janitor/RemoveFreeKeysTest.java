package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.Leftovers.Position;
import dev.rowlock.queue.internal.janitor.Leftovers.Stretch;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest(migrated = true)
@Representative
class RemoveFreeKeysTest {

    private static final int STEPS = 400;

    private final TestDatabase test;
    private final Rooms rooms;

    RemoveFreeKeysTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
    }

    @Test
    void onlyFreeKeysAreRemoved() {
        UniqueKey held = UniqueKey.of("ended, held longer").atLeast(Duration.ofHours(1));
        ClaimedJob dead = rooms.running(UniqueKey.of("dead"));
        rooms.bury(dead.claim());
        rooms.complete(rooms.running(UniqueKey.of("completed")), true);
        new JobStatements(rooms.database())
                .cancelIdle(rooms.unique(UniqueKey.of("cancelled")).id(), null);
        rooms.complete(rooms.running(held), false);
        rooms.complete(rooms.running(new UniqueKey("ended, held long enough", held.atLeast())), false);
        rooms.execute("""
                UPDATE rowlock.unique_key SET held_until = statement_timestamp() WHERE key = 'ended, held long enough'
                """);
        rooms.running(UniqueKey.of("running"));
        rooms.unique(UniqueKey.of("ready"));
        rooms.unique(List.of(Rooms.job(UniqueKey.of("waiting"), Due.after(Duration.ofDays(1)))));

        Stretch<Position> stretch = new Leftovers(rooms.database()).freeKeys(Leftovers.FIRST_KEY, 100);

        assertThat(stretch).isEqualTo(new Stretch<>(4, null));
        assertThat(keys()).containsExactly("ended, held longer", "ready", "running", "waiting");
    }

    @Test
    void stretchesFollowEachOtherThroughTheWholeTable() {
        rooms.execute("""
                INSERT INTO rowlock.unique_key (type, key, job_id)
                VALUES ('a', '1', -1), ('a', '2', -2), ('b', '0', -3), ('b', '1', -4), ('b', '2', -5)
                """);
        Leftovers remove = new Leftovers(rooms.database());

        Stretch<Position> first = remove.freeKeys(Leftovers.FIRST_KEY, 3);
        assertThat(first).isEqualTo(new Stretch<>(3, new Position("b", "0")));
        assertThat(keys()).containsExactly("1", "2");

        assertThat(remove.freeKeys(new Position("b", "0"), 3)).isEqualTo(new Stretch<>(2, null));
        assertThat(remove.freeKeys(Leftovers.FIRST_KEY, 3)).isEqualTo(new Stretch<>(0, null));
    }

    @Test
    void aKeyThatSomebodyIsTakingIsLeftAloneAndNotWaitedFor() throws Exception {
        UniqueKey key = UniqueKey.of("order-42");
        rooms.complete(rooms.running(key), true);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Placed theirs = other.database()
                    .alone(connection -> new EnqueueUniqueJobs(rooms.database().schema())
                            .run(connection, List.of(Rooms.job(key, null))))
                    .get(0);

            Stretch<Position> stretch = new Leftovers(rooms.database()).freeKeys(Leftovers.FIRST_KEY, 100);
            other.commit();

            assertThat(stretch.removed()).isZero();
            assertThat(rooms.unique(key)).isEqualTo(new Placed(theirs.id(), false));
        }
    }

    /**
     * Nobody can stop the sweep between its snapshot and its locks, so this one races. Many held keys in front of those
     * that are fought for make that moment long.
     */
    @LongRunning
    @Test
    void eachKeyHasOneLiveJobHoweverKeysAreTakenFreedAndRemoved() throws Exception {
        int producers = 3;
        ExecutorService threads = Executors.newFixedThreadPool(producers + 2);
        long node = rooms.node();
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'send', 'a' || i, %d FROM generate_series(1, 3000) i"
                .formatted(rooms.waiting(Due.after(Duration.ofDays(1)))));

        try {
            List<Future<Long>> ends = threads.invokeAll(IntStream.range(0, producers + 2)
                    .<Callable<Long>>mapToObj(
                            i -> () -> i < producers ? produce(i) : i == producers ? finish(node) : sweep())
                    .toList());
            for (Future<Long> end : ends) {
                assertThat(end.get())
                        .as("keys that were seen with two live jobs")
                        .isZero();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(twins()).isZero();
    }

    private long produce(int seed) {
        Random random = new Random(seed);
        long twins = 0;
        for (int step = 0; step < STEPS; step++) {
            List<NewJob> jobs = IntStream.range(0, 1 + random.nextInt(4))
                    .mapToObj(i -> "k" + random.nextInt(6))
                    .map(key -> new NewJob(
                            Rooms.QUEUE, "send", 0, null, null, null, "\"" + key + "\"", null, UniqueKey.of(key)))
                    .toList();
            rooms.unique(jobs);
            twins += twins();
        }
        return twins;
    }

    private long finish(long node) {
        for (int step = 0; step < STEPS; step++) {
            rooms.claim(node, 4).forEach(job -> rooms.complete(job, false));
        }
        return 0;
    }

    private long sweep() {
        long removed = 0;
        for (int step = 0; step < STEPS; step++) {
            removed += new Leftovers(rooms.database())
                    .freeKeys(Leftovers.FIRST_KEY, 5_000)
                    .removed();
        }
        assertThat(removed).as("keys removed meanwhile").isPositive();
        return 0;
    }

    /** Keys of which more than one job may still run, in one snapshot. */
    private long twins() {
        return rooms.number("""
                SELECT count(*) FROM (
                    SELECT payload::text FROM rowlock.job_details WHERE state IN ('waiting', 'ready', 'running')
                     GROUP BY payload::text HAVING count(*) > 1) AS twice
                """);
    }

    @ParameterizedTest
    @EnumSource(
            value = Plans.class,
            names = {"CUSTOM", "GENERIC"})
    void aStretchIsReadThroughTheIndexAndItsJobsThroughTheirs(Plans plans) throws Exception {
        rooms.fill(6_000, rooms.node());
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'send', 'k' || id, id FROM rowlock.job_details");
        rooms.believeEmptied("ready", "waiting", "running");

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
            new Leftovers(explained.database()).freeKeys(Leftovers.FIRST_KEY, 100);

            assertThat(explained.lastPlan())
                    .contains(
                            "Index Scan using unique_key_pkey on unique_key k",
                            "ready_pkey",
                            "waiting_pkey",
                            "running_pkey")
                    .doesNotContain("Seq Scan on ready", "Seq Scan on waiting", "Seq Scan on running");
        }
    }

    private List<String> keys() {
        return rooms.sql("SELECT key FROM rowlock.unique_key ORDER BY type, key")
                .query(String.class)
                .list();
    }
}
