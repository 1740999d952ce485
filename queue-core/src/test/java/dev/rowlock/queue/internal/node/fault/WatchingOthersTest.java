package dev.rowlock.queue.internal.node.fault;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** A node finds a killed node although the heartbeats of the two differ. */
@PostgresTest(freshPerTest = true, migrated = true)
class WatchingOthersTest extends NodeTest {

    @Test
    void aNodeThatBeatsSeldomQuicklyTakesTheJobsOfADeadNodeWithAShortLease() {
        node.lease(Duration.ofHours(1), Duration.ofMinutes(20), 3);

        aDeadNodesJobRuns();
    }

    @Test
    void aNodeWhoseBeatsAreAnsweredSlowlyTakesADeadNodesJobs() {
        node.lease(Duration.ofSeconds(3), Duration.ofMillis(300), 3);
        node.sql.sql("""
                CREATE FUNCTION rowlock.slowly() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_sleep(0.7); RETURN new; END $$
                """).update();
        node.sql
                .sql("CREATE TRIGGER slowly AFTER UPDATE ON rowlock.node EXECUTE FUNCTION rowlock.slowly()")
                .update();

        aDeadNodesJobRuns();
    }

    @Test
    void aNodeThatBeatsSeldomTakesTheJobsOfANodeThatJoinedAfterItsBeatAndDied() {
        node.lease(Duration.ofHours(1), Duration.ofMinutes(20), 3)
                .listener(Greet.class, (context, payload) -> null)
                .start();
        Awaitility.await().until(() -> node.status().nodeId() > 0);

        long id = diesWith(new Greet("Ada"));

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void aNodeWithAShorterLeaseTellsTheOthersThatItIsThere(TestDatabase database) throws SQLException {
        node.others.addNode(Duration.ofHours(1));
        node.listener(Greet.class, (context, payload) -> null);
        try (Connection listening = database.unpooled().getConnection()) {
            listening.createStatement().execute("LISTEN rowlock_rowlock");

            node.start();

            PGConnection line = listening.unwrap(PGConnection.class);
            Awaitility.await()
                    .until(() -> Stream.of(line.getNotifications(100))
                            .anyMatch(heard -> heard.getParameter().endsWith("|a|")));
        }
    }

    /** A node with a lease of three seconds claims the job and is killed. */
    private long diesWith(Greet greet) {
        return node.transactions.execute(status -> {
            long id = node.jobs.enqueue(greet);
            node.others.claimForADeadNode();
            node.sql
                    .sql("UPDATE rowlock.node SET lease_millis = 3000 WHERE name = 'dead'")
                    .update();
            return id;
        });
    }

    private void aDeadNodesJobRuns() {
        node.listener(Greet.class, (context, payload) -> null);
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.others.claimForADeadNode();
        node.sql.sql("UPDATE rowlock.node SET lease_millis = 3000").update();

        node.start();

        node.awaitState(id, JobState.COMPLETED);
    }
}
