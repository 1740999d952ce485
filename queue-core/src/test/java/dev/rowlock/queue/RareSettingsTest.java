package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;

import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The smallest and the largest values of settings, in combinations that the seed draws. */
@PostgresTest(migrated = true, freshPerTest = true)
class RareSettingsTest {

    private static final Random RANDOM = TestSeed.random("rare settings");

    private final TestDatabase database;
    private final Rowlocks rowlocks = new Rowlocks();

    RareSettingsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @SafeVarargs
    private static <T> T one(T... of) {
        return of[RANDOM.nextInt(of.length)];
    }

    @RepeatedTest(3)
    void jobsOfAllKindsEnd() {
        LeaseSettings lease = one(
                new LeaseSettings("rare", Duration.ofSeconds(1), Duration.ofMillis(50), 1_000),
                new LeaseSettings("rare", Duration.ofHours(1), Duration.ofMinutes(20), 1));
        FetchSettings fetch = new FetchSettings(
                one(Duration.ofMillis(10), Duration.ofMinutes(1), Duration.ofMinutes(10)),
                one(Duration.ZERO, Duration.ofSeconds(10)),
                one(0, 1, 10_000));
        WorkerSettings worker =
                WorkerSettings.DEFAULT.withConcurrency(one(1, 1_000)).withFetch(fetch);
        RetentionSettings retention = new RetentionSettings(
                one(Duration.ZERO, Duration.ofDays(1), RetentionSettings.LONGEST),
                one(Duration.ofMillis(1), RetentionSettings.LONGEST));
        System.out.printf("%s, %s, %s%n", lease, worker, retention);
        Rowlock rowlock = rowlocks.built(AllKinds.handled(quick(database.dataSource()))
                .lease(lease)
                .worker(worker)
                .retention(retention));
        AllKinds.enqueue(rowlock);

        rowlock.start();

        AllKinds.awaitEnd(JdbcClient.create(database.unpooled()));
    }
}
