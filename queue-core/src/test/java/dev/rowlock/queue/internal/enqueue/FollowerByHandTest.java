package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.schedule.FrozenClock;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.operate.ChangeResult;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What an operator does to a job that waits for the end of another one. The clock is the test's; it begins at 10:00. */
@PostgresTest(migrated = true)
class FollowerByHandTest {

    record Index(String what) {}

    private static final UniqueKey ONCE = UniqueKey.of("doc-7").onceMore();

    private static FrozenClock clock;

    private final Rooms rooms;
    private final JobOperations jobs;
    private final JobAdmin admin;
    private final ReleaseFollowers release;

    FollowerByHandTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), new RecordedWakeups());
        admin = FrontDoors.admin(rooms.database(), new RecordedWakeups());
        release = new ReleaseFollowers(rooms.database());
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    @Test
    void aRescheduledFollowerIsDueAtItsNewTimeAlsoWhenTheOtherJobEndsBefore() {
        ask("first");
        ClaimedJob running = claim();
        long follower = ask("second").id();

        ChangeResult result = admin.reschedule(follower, Duration.ofHours(2));
        rooms.complete(running, false);
        releaseAll();

        assertThat(result).isEqualTo(ChangeResult.CHANGED);
        assertThat(dispatched()).isZero();
        clock.set("2026-11-22T12:00:00Z");
        assertThat(dispatched()).isEqualTo(1);
        assertThat(claim().id()).isEqualTo(follower);
        assertThat(rooms.count("once_more")).isZero();
    }

    @Test
    void aFollowerThatIsRunNowKeepsItsKeyWhileTheOtherJobRuns() {
        ask("first");
        claim();
        EnqueueResult follower = ask("second");

        ChangeResult result = admin.runNow(follower.id());
        releaseAll();
        EnqueueResult third = ask("third");

        assertThat(result).isEqualTo(ChangeResult.CHANGED);
        assertThat(third).isEqualTo(new EnqueueResult(follower.id(), Enqueued.REPLACED));
        assertThat(rooms.count("once_more")).isZero();
    }

    @Test
    void aRescheduledFollowerThatIsDueEarlyKeepsItsKeyWhileTheOtherJobRuns() {
        ask("first");
        claim();
        EnqueueResult follower = ask("second");

        admin.reschedule(follower.id(), Duration.ZERO);
        dispatched();
        releaseAll();

        assertThat(ask("third")).isEqualTo(new EnqueueResult(follower.id(), Enqueued.REPLACED));
    }

    @Test
    void aFollowerThatLeftItsRoomSomeOtherWayKeepsItsKeyAsLongAsItLives() {
        ask("first");
        claim();
        EnqueueResult follower = ask("second");
        rooms.execute("UPDATE rowlock.waiting SET due_at = '2026-11-22T10:00:00Z'");
        dispatched();

        releaseAll();

        assertThat(rooms.count("once_more")).isZero();
        assertThat(ask("third")).isEqualTo(new EnqueueResult(follower.id(), Enqueued.REPLACED));
    }

    private EnqueueResult ask(String what) {
        return jobs.enqueueUnique(new Index(what), ONCE, o -> o.queue(Rooms.QUEUE));
    }

    private ClaimedJob claim() {
        return rooms.claim(rooms.node(), 1).get(0);
    }

    private void releaseAll() {
        new ReleaseFollowers(rooms.database())
                .giveKeysBack(
                        release.run(ReleaseFollowers.FRONT, 100, List.of()).cancelled());
    }

    private int dispatched() {
        return new DispatchDueJobs(rooms.database()).run(100).jobs();
    }
}
