package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.lease.NodeRow;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;

/** What people read, and what the tables refuse. */
@PostgresTest(migrated = true)
class ViewsTest {

    private final Rooms rooms;
    private final long node;

    ViewsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        node = rooms.node("host-7");
    }

    @Test
    void theViewJobSaysWhyAJobWaits() {
        ClaimedJob job = claimed();
        rooms.bury(job.claim());

        new JobStatements(rooms.database()).redrive(job.id(), null);

        assertThat(line(job.id())).containsEntry("state", "waiting").containsEntry("attempt", 0);
        assertThat((String) line(job.id()).get("why")).startsWith("redrive: ");
    }

    @Test
    void theViewFailureShowsTheLastErrorAndItsNode() {
        ClaimedJob job = claimed();

        rooms.bury(job.claim());

        Map<String, Object> failure = rooms.sql("SELECT * FROM rowlock.failure WHERE id = ?")
                .param(job.id())
                .query()
                .singleRow();
        assertThat(failure).containsEntry("failed_attempt", 1).containsEntry("node", "host-7");
        assertThat(failure.get("class")).isNotNull();
        assertThat(failure.get("failed_at")).isNotNull();
    }

    @Test
    void theNodeThatRanAJobIsKnownAfterItHasStopped() {
        ClaimedJob dead = claimed();
        rooms.bury(dead.claim());
        ClaimedJob done = claimed();
        rooms.complete(done, true);

        stop(node);

        assertThat(line(dead.id())).containsEntry("node", "host-7");
        assertThat(line(done.id())).containsEntry("node", "host-7");
        assertThat(rooms.truth("SELECT NOT expired FROM rowlock.past_node WHERE id = " + node))
                .isTrue();
    }

    @Test
    void aQuarantinedJobNamesTheNodeThatItBroughtDown() {
        ClaimedJob job = claimed();
        rooms.execute("UPDATE rowlock.running SET crashes = 2, isolated = true");
        stop(node);

        new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);

        assertThat(line(job.id())).containsEntry("state", "quarantined").containsEntry("node", "host-7");
    }

    @Test
    void aPastNodeIsRemovedOnceNoEndedJobCanNameIt() {
        ClaimedJob dead = claimed();
        rooms.bury(dead.claim());
        stop(node);
        long other = rooms.node("host-8");
        stop(other);
        rooms.execute("INSERT INTO rowlock.retention VALUES (604800000, 9223372036854775807, 7776000000, now())");
        Leftovers remove = new Leftovers(rooms.database());

        assertThat(remove.pastNodes(10)).isZero(); // jobs that they completed may still be there
        rooms.execute("UPDATE rowlock.past_node SET ended_at = ended_at - interval '10 days'");

        assertThat(remove.pastNodes(10)).isEqualTo(1);
        assertThat(line(dead.id())).containsEntry("node", "host-7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE rowlock.running SET progress = 101",
                "UPDATE rowlock.ready SET rank = 1001",
                "UPDATE rowlock.dead SET state = 'broken'",
                "UPDATE rowlock.done SET state = 'broken'",
                "UPDATE rowlock.waiting SET reason = ''"
            })
    void aValueThatMeansNothingIsRefused(String change) {
        rooms.bury(claimed().claim());
        rooms.complete(claimed(), true);
        rooms.defer(claimed().claim(), Due.after(Duration.ofMinutes(10)));
        claimed();
        rooms.ready();

        assertThatThrownBy(() -> rooms.execute(change)).isInstanceOf(DataIntegrityViolationException.class);
    }

    private ClaimedJob claimed() {
        rooms.ready();
        return rooms.claim(node, 1).get(0);
    }

    private void stop(long id) {
        rooms.database().atomically(connection -> {
            new NodeRow(rooms.database().schema()).remove(connection, id);
            return id;
        });
    }

    private Map<String, Object> line(long id) {
        return rooms.sql("SELECT * FROM rowlock.job WHERE id = ?")
                .param(id)
                .query()
                .singleRow();
    }
}
