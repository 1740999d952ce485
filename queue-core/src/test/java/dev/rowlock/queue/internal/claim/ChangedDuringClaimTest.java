package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Somebody changes a job between the snapshot of a claim and the end of it. */
@PostgresTest(freshPerTest = true, migrated = true)
class ChangedDuringClaimTest {

    private static final int LIMIT = 40;
    private static final int FEW = 33;

    record Greeting(String to) {}

    private final TestDatabase test;
    private final Rooms rooms;
    private final ClaimKeyedJobs claim;
    private final KeyCursor cursor = new KeyCursor(nodes -> 0.05, System.nanoTime());
    private final long node;

    ChangedDuringClaimTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.in(test);
        claim = new ClaimKeyedJobs(rooms.database(), Duration.ofSeconds(2));
        node = rooms.node();
    }

    @Test
    void aKeyKeepsItsLimitWhenAReadyJobIsChangedDuringAClaim() throws Exception {
        try (Rowlock rowlock = Rowlock.builder(test.dataSource()).enqueueOnly().build()) {
            limit(rowlock);
            long[] ids = enqueue(rowlock, 200);
            KeyedBatch first = run(cursor.walk(System.nanoTime()), FEW);
            cursor.learn(first, true, List.of());

            KeyedBatch second =
                    whileItStops(5, () -> rowlock.admin().editPayloadUnchecked(ids[FEW + 4], "{\"to\": \"y\"}"));
            cursor.learn(second, false, List.of());
            run(known(), ids.length);

            assertThat(second.batch().jobs()).isNotEmpty();
            assertThat(rooms.count("running")).isEqualTo(LIMIT);
        }
    }

    @Test
    void aKeyKeepsItsLimitWhenOneOfItsJobsIsIsolatedDuringAClaim() throws Exception {
        try (Rowlock rowlock = Rowlock.builder(test.dataSource()).enqueueOnly().build()) {
            limit(rowlock);
            enqueue(rowlock, 200);
            KeyedBatch first = run(cursor.walk(System.nanoTime()), FEW);
            cursor.learn(first, true, List.of());
            ClaimStatements isolate = new ClaimStatements(rooms.database());
            Claim oldest = first.batch().jobs().get(0).claim();

            KeyedBatch second = whileItStops(5, () -> isolate.isolate(oldest, List.of()));
            cursor.learn(second, false, List.of());
            run(known(), 200);

            assertThat(second.batch().jobs()).hasSize(5);
            assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE isolated"))
                    .isOne();
            assertThat(rooms.count("running")).isEqualTo(LIMIT);
        }
    }

    /** A claim counts jobs from before the limit, but passes over the one that is locked: the next claim counts it. */
    @Test
    void aJobThatWasIsolatedWhileANewLimitWasFirstSeenCounts() throws Exception {
        try (Rowlock rowlock = Rowlock.builder(test.dataSource()).enqueueOnly().build();
                OpenTransaction isolating = new OpenTransaction(rooms.database())) {
            enqueue(rowlock, 200);
            Claim oldest = run(Keys.WALK, LIMIT).batch().jobs().get(0).claim();
            limit(rowlock, "0 s");
            new ClaimStatements(isolating.database()).isolate(oldest, List.of());
            run(Keys.WALK, 1); // passes over it

            isolating.commit();
            run(Keys.WALK, 200);

            assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE gate = 'k'"))
                    .isEqualTo(LIMIT + 1);
        }
    }

    /** It was locked during the first minute of a limit of its queue, and the node has learned which tokens it counts. */
    @Test
    void aJobThatIsCountedLateCountsAMinuteLater() throws Exception {
        try (Rowlock rowlock = Rowlock.builder(test.dataSource()).enqueueOnly().build()) {
            enqueue(rowlock, 10);
            assertThat(run(Keys.WALK, 1).batch().jobs()).hasSize(1);
            rowlock.limits().set(QueueLimit.of(QUEUE).maxRunning(3));
            rooms.execute("UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '10 min'");
            long now = System.nanoTime();
            for (int i = 0; i < 2; i++) {
                cursor.learn(run(cursor.walk(now), 1), true, List.of());
            }
            assertThat(cursor.walk(now).token()).isPositive();

            assertThat(new LimitStatements(rooms.database()).countRunning()).isOne();

            long later = now + Duration.ofMinutes(1).toNanos();
            assertThat(run(cursor.walk(later), 1).batch().jobs()).isEmpty();
        }
    }

    private void limit(Rowlock rowlock) {
        limit(rowlock, "10 min");
    }

    private void limit(Rowlock rowlock, String age) {
        Rate manyMore = Rate.perSecond(100_000).burst(100_000);
        rowlock.limits().set(QueueLimit.of(QUEUE).maxRunningPerKey(LIMIT).ratePerKey(manyMore));
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '%s'".formatted(age));
    }

    private static long[] enqueue(Rowlock rowlock, int count) {
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = rowlock.jobs()
                    .enqueue(new Greeting("x"), o -> o.queue(QUEUE).key("k"));
        }
        return ids;
    }

    /** Claims so many jobs, but stops before it locks them, and does something meanwhile. */
    private KeyedBatch whileItStops(int jobs, Runnable meanwhile) throws Exception {
        rooms.execute("""
                CREATE OR REPLACE FUNCTION rowlock.rate_permits(jobs int, millis bigint, burst int, next_at double precision,
                                                                held_until double precision, now double precision)
                    RETURNS int LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_advisory_xact_lock_shared(4711);
                    RETURN 1000;
                END $$""");
        CompletableFuture<KeyedBatch> claimed;
        try (Connection connection = test.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(4711)");
            try {
                claimed = CompletableFuture.supplyAsync(() -> run(known(), jobs));
                rooms.awaitBlocked();
                meanwhile.run();
            } finally {
                statement.execute("SELECT pg_advisory_unlock(4711)");
            }
        }
        return claimed.get(1, TimeUnit.MINUTES);
    }

    private Keys known() {
        return cursor.of(List.of("k"), System.nanoTime());
    }

    private KeyedBatch run(Keys known, int jobs) {
        return claim.run(QUEUE, Look.FIRST, known, jobs, 1_000, Which.ALL, node, null);
    }
}
