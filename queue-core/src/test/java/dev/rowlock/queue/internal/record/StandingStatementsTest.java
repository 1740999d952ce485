package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A statement that the server does not end, and that keeps its rows locked when nobody waits for it any more. */
@PostgresTest(freshPerTest = true, migrated = true)
@LongRunning
class StandingStatementsTest extends NodeTest {

    record Order(int number) {}

    private static final int JOBS = 50;
    private static final int BAD = 7;

    /** Longer than the statements of a batch may take until each counts as lost. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @AfterEach
    void endTheWaits() {
        node.elsewhere
                .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                .query(Boolean.class)
                .list();
    }

    private boolean standsStill() {
        return node.elsewhere
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                        .query(Long.class)
                        .single()
                > 0;
    }

    @Test
    void itHoldsUpNoOutcomesButItsOwn() {
        define("PERFORM pg_sleep(3600);");
        node.elsewhere.sql("""
                CREATE TRIGGER stand_still BEFORE INSERT ON rowlock.done FOR EACH ROW
                WHEN (new.payload::jsonb @> '{"number": %d}') EXECUTE FUNCTION stand_still()
                """.formatted(BAD)).update();
        node.listener(Order.class, (context, payload) -> null);
        long[] ids = enqueue(0);
        node.start();
        Awaitility.await().until(this::standsStill);

        long[] later = enqueue(JOBS);
        awaitAll(later);

        // Its company is locked as long as the server's process is there. Then it gets past it.
        endTheWaits();
        Awaitility.await().atMost(PATIENCE).until(() -> node.count("done") == 2 * JOBS - 1);
        assertThat(node.search.find(ids[BAD]).orElseThrow().state()).isEqualTo(JobState.RUNNING);

        define("");
        endTheWaits();
        awaitAll(ids);
        assertThat(node.events).contains("completed " + ids[BAD]);
    }

    /** Dropping the trigger would wait for who stands still, and everybody else for that. */
    private void define(String body) {
        node.elsewhere
                .sql(
                        "CREATE OR REPLACE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s RETURN new; END $$"
                                .formatted(body))
                .update();
    }

    private long[] enqueue(int from) {
        return node.jobs.enqueueAll(
                IntStream.range(from, from + JOBS).mapToObj(Order::new).toList());
    }

    private void awaitAll(long[] ids) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Arrays.stream(ids)
                        .allMatch(id -> node.search.find(id).orElseThrow().state() == JobState.COMPLETED));
    }
}
