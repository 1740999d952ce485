package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.JobState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A node that was killed is found by one whose heartbeats are unlike its own. */
class WatchingOthersTest extends NodeTest {

    @Test
    void aNodeThatBeatsSeldomSoonTakesTheJobsOfOneWithAShortLease() {
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

    private void aDeadNodesJobRuns() {
        node.listener(Greet.class, (context, payload) -> null);
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.claimForADeadNode();
        node.sql.sql("UPDATE rowlock.node SET lease_millis = 3000").update();

        node.start();

        node.awaitState(id, JobState.COMPLETED);
    }
}
