package dev.rowlock.queue.internal.lease;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class ReleaseStrandedJobsTest {

    private final Rooms rooms;
    private final ReleaseStrandedJobs release;

    ReleaseStrandedJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        release = new ReleaseStrandedJobs(rooms.database());
    }

    @Test
    void aClaimWhoseAnswerGotLostIsGivenBackAtNoCost() {
        List<ClaimedJob> jobs = rooms.running(2);
        long known = jobs.get(0).claim().token();

        List<ReadyJobs> released =
                release.run(node(jobs.get(0)), release.lastToken(), new long[] {known}, ReleaseStrandedJobs.LIMIT);

        assertThat(released).containsExactly(new ReadyJobs(QUEUE, 0, 1, null));
        assertThat(rooms.roomsOf(jobs.get(0).id())).containsExactly("running");
        assertThat(rooms.roomsOf(jobs.get(1).id())).containsExactly("ready");
        assertThat(rooms.look(jobs.get(1).id())).containsEntry("attempt", 0).containsEntry("crashes", 0);
    }

    @Test
    void aClaimThatMayBeOnItsWayIsLeftAlone() {
        long last = release.lastToken();
        ClaimedJob job = rooms.running();

        List<ReadyJobs> released = release.run(node(job), last, new long[0], ReleaseStrandedJobs.LIMIT);

        assertThat(released).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void otherNodesClaimsAreLeftAlone() {
        ClaimedJob job = rooms.running();

        List<ReadyJobs> released =
                release.run(rooms.node(), release.lastToken(), new long[0], ReleaseStrandedJobs.LIMIT);

        assertThat(released).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    private long node(ClaimedJob job) {
        return rooms.number("SELECT node_id FROM rowlock.running WHERE id = " + job.id());
    }
}
