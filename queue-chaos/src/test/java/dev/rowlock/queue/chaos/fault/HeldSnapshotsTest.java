package dev.rowlock.queue.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.history.History.Held;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HeldSnapshotsTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int ROWS = 1_000;

    private static Database database;

    @BeforeAll
    static void start() {
        database = new Database();
        run("CREATE TABLE much (number int) WITH (autovacuum_enabled = off)");
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void vacuumRemovesNothingUntilItsEnd(Holder holder) {
        HeldSnapshots snapshots = new HeldSnapshots(database, new Random(1));
        CompletableFuture<Void> held = CompletableFuture.runAsync(() -> snapshots.hold(holder, LONG));
        awaitHolders(1);
        run("INSERT INTO much SELECT generate_series(1, %d)".formatted(ROWS));
        run("DELETE FROM much");

        run("VACUUM much");
        assertThat(pages()).as("pages of rows that nobody sees any more").isPositive();
        snapshots.close();
        held.join();
        awaitHolders(0);
        run("VACUUM much");

        assertThat(pages()).isZero();
        assertThat(snapshots.held()).singleElement().satisfies(one -> {
            assertThat(one.how()).isEqualTo(holder.name());
            assertThat(one.cut()).isFalse();
            assertThat(one.to()).isGreaterThan(one.from());
        });
    }

    @Test
    void whatARestartEndsBeginsAnewAndWhatOutlivesItGoesOn() {
        assertThat(heldThroughARestart(Holder.SNAPSHOT)).extracting(Held::cut).containsExactly(true, false);
        assertThat(heldThroughARestart(Holder.PREPARED)).extracting(Held::cut).containsExactly(false);
    }

    private static List<Held> heldThroughARestart(Holder holder) {
        HeldSnapshots snapshots = new HeldSnapshots(database, new Random(1));
        CompletableFuture<Void> held = CompletableFuture.runAsync(() -> snapshots.hold(holder, LONG));
        awaitHolders(1);

        database.server().stopImmediately();
        database.server().startAgain();
        Awaitility.await().until(() -> !snapshots.held().isEmpty() || holder.outlivesItsConnection());
        awaitHolders(1);

        snapshots.close();
        held.join();
        return snapshots.held();
    }

    private static void awaitHolders(int count) {
        Awaitility.await()
                .until(() -> database.sql()
                                .sql("""
                                SELECT (SELECT count(*) FROM pg_stat_activity
                                         WHERE application_name = ? AND coalesce(backend_xmin, backend_xid) IS NOT NULL)
                                     + (SELECT count(*) FROM pg_prepared_xacts)
                                """)
                                .param(HeldSnapshots.NAME)
                                .query(Integer.class)
                                .single()
                        == count);
    }

    private static long pages() {
        return database.sql()
                .sql("SELECT pg_relation_size('much') / 8192")
                .query(Long.class)
                .single();
    }

    private static void run(String statement) {
        database.sql().sql(statement).update();
    }
}
