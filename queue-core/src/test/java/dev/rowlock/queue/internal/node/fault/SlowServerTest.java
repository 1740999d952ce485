package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Claims that take long: an audit trigger, a slow disk, a standby that each commit waits for. */
@PostgresTest(freshPerTest = true, migrated = true)
class SlowServerTest {

    record Greet(String name) {}

    private static final int JOBS = 120;

    @Test
    void claimsBecomeSmallerUntilTheyTakeNoLongerThanAStatementMay(TestDatabase database) {
        AtomicInteger runs = new AtomicInteger();
        try (TestNode node = new TestNode(database, hurried(database))) {
            claimsTake(node, "0.01", "ROW");
            node.listener(Greet.class, (context, payload) -> runs.incrementAndGet());
            node.jobs.enqueueAll(Collections.nCopies(JOBS, new Greet("Ada")));

            node.start();

            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> runs.get() >= JOBS);
            assertThat(runs).hasValue(JOBS);
        }
    }

    @Test
    void jobsRunThoughEachClaimTakesLongerThanAJobMayWait(TestDatabase database) {
        AtomicInteger runs = new AtomicInteger();
        try (TestNode node = new TestNode(database)) {
            claimsTake(node, "2.7", "STATEMENT");
            node.listener(Greet.class, (context, payload) -> runs.incrementAndGet());
            node.start();

            node.jobs.enqueue(new Greet("Ada"));

            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> runs.get() == 1);
        }
    }

    private static void claimsTake(TestNode node, String seconds, String each) {
        node.elsewhere
                .sql("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(" + seconds
                        + "); RETURN NEW; END $$")
                .update();
        node.elsewhere
                .sql("CREATE TRIGGER slow " + (each.equals("ROW") ? "BEFORE" : "AFTER")
                        + " INSERT ON rowlock.running FOR EACH " + each + " EXECUTE FUNCTION slow()")
                .update();
    }

    /** Whose role has a {@code statement_timeout} of half a second. */
    private static DriverManagerDataSource hurried(TestDatabase database) {
        String url = database.jdbcUrl();
        return new DriverManagerDataSource(
                url + (url.contains("?") ? "&" : "?") + "options=-c%20statement_timeout=500",
                database.username(),
                database.password());
    }
}
