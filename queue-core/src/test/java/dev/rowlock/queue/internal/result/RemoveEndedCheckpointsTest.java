package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.internal.janitor.Leftovers.Stretch;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class RemoveEndedCheckpointsTest {

    private final Rooms rooms;
    private final Leftovers remove;

    RemoveEndedCheckpointsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        remove = new Leftovers(rooms.database());
    }

    @Test
    void aJobThatMayRunAgainKeepsItsCheckpoint() {
        ClaimedJob dead = running();
        rooms.bury(dead.claim());
        ClaimedJob waiting = running();
        rooms.defer(waiting.claim(), Due.after(Duration.ofDays(1)));
        ClaimedJob running = running();

        assertThat(all()).isEqualTo(new Stretch<>(0, null));
        assertThat(checkpoints()).containsExactly(dead.id(), waiting.id(), running.id());
    }

    @Test
    void theCheckpointsOfCompletedAndDiscardedJobsGo() {
        rooms.complete(running(), true);
        rooms.complete(running(), false);
        ClaimedJob discarded = running();
        rooms.bury(discarded.claim());
        new JobStatements(rooms.database())
                .discard(discarded.id(), new AuditNote("ann", null, "discard", "a job", null));
        ClaimedJob running = running();

        assertThat(all()).isEqualTo(new Stretch<>(3, null));
        assertThat(checkpoints()).containsExactly(running.id());
    }

    @Test
    void theyAreLookedAtAStretchAtATime() {
        ClaimedJob first = running();
        ClaimedJob second = running();
        ClaimedJob third = running();
        rooms.complete(first, true);
        rooms.complete(third, true);

        Stretch<Long> stretch = remove.checkpoints(Leftovers.FIRST_ID, 2);
        assertThat(stretch).isEqualTo(new Stretch<>(1, second.id()));
        assertThat(remove.checkpoints(second.id(), 2)).isEqualTo(new Stretch<>(1, null));

        assertThat(checkpoints()).containsExactly(second.id());
    }

    private Stretch<Long> all() {
        return remove.checkpoints(Leftovers.FIRST_ID, 100);
    }

    private ClaimedJob running() {
        ClaimedJob job = rooms.running();
        new ClaimStatements(rooms.database()).saveCheckpoint(job.claim(), Map.of("page", 1), TestNode.codec());
        return job;
    }

    private List<Long> checkpoints() {
        return rooms.sql("SELECT job_id FROM rowlock.checkpoint ORDER BY job_id")
                .query(Long.class)
                .list();
    }
}
