package dev.rowlock.queue.internal.claim.key;

import static dev.rowlock.queue.internal.store.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.store.claim.KnownKeys;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Somebody changes a ready job between the snapshot of a claim and the moment at which the claim locks the job. */
@PostgresTest(freshPerTest = true, migrated = true)
class ChangedDuringClaimTest {

    private static final int LIMIT = 40;

    record Greeting(String to) {}

    private final TestDatabase test;
    private final Rooms rooms;
    private final ClaimKeyedJobs claim;
    private final KeyMemory memory = new KeyMemory(nodes -> 0.05, System.nanoTime());
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
            Rate manyMore = Rate.perSecond(100_000).burst(100_000);
            rowlock.limits().set(QueueLimit.of(QUEUE).maxRunningPerKey(LIMIT).ratePerKey(manyMore));
            rooms.execute("UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '10 min'");
            long[] ids = new long[200];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = rowlock.jobs()
                        .enqueue(new Greeting("x"), o -> o.queue(QUEUE).key("k"));
            }
            KeyedBatch first = run(memory.fromFront(System.nanoTime()), KeyMemory.FEW + 1);
            memory.learn(first.learned(), true, System.nanoTime());

            KeyedBatch second = whileItStops(
                    5, () -> rowlock.admin().editPayloadUnchecked(ids[KeyMemory.FEW + 5], "{\"to\": \"y\"}"));
            memory.learn(second.learned(), false, System.nanoTime());
            run(known(), ids.length);

            assertThat(second.batch().jobs()).hasSize(4); // without the changed one, which was the last
            assertThat(rooms.count("running")).isEqualTo(LIMIT);
        }
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

    private KnownKeys known() {
        return memory.from(Turn.FIRST, 20, System.nanoTime());
    }

    private KeyedBatch run(KnownKeys known, int jobs) {
        return claim.run(QUEUE, Turn.FIRST, known, jobs, 1_000, Which.ALL, node, null);
    }
}
