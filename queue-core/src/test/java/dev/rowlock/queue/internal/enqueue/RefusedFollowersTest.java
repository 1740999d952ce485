package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.OnceMoreFeature.Followers;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** A job that is to run once more, and whose row the server refuses or somebody has locked, holds up no other. */
@PostgresTest(freshPerTest = true, migrated = true)
class RefusedFollowersTest {

    record Index(String what) {}

    private final Rooms rooms;
    private final JobOperations jobs;
    private final JobAdmin admin;
    private final Followers chore;

    RefusedFollowersTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), new RecordedWakeups());
        admin = FrontDoors.admin(rooms.database(), new RecordedWakeups());
        chore = new Followers(new ReleaseFollowers(rooms.database()), new RecordedWakeups());
    }

    @Test
    void aFollowerThatTheServerRefusesHoldsUpNoOther() {
        List<Long> followers = followers(5);
        refuse("waiting", "UPDATE", "NEW.id = " + followers.get(2));
        endAll();

        runTwice();

        assertThat(waitingOnceMore()).containsExactly(followers.get(2));
        assertThat(rooms.count("once_more")).isEqualTo(1);
    }

    @Test
    void aKeyThatTheServerRefusesToGiveBackHoldsUpNoOther() {
        List<Long> followers = followers(3);
        refuse("unique_key", "UPDATE", "NEW.key = 'k1'");
        followers.forEach(admin::cancel);

        runTwice();

        assertThat(rooms.count("once_more")).isEqualTo(1);
        assertThat(ask("k0").what()).isEqualTo(Enqueued.ONCE_MORE);
        assertThat(ask("k2").what()).isEqualTo(Enqueued.ONCE_MORE);
    }

    @Test
    void aKeyThatALongTransactionHoldsIsLeftForLaterAndHoldsUpNoOther() throws SQLException {
        List<Long> followers = followers(3);
        admin.cancel(followers.get(0));
        admin.cancel(followers.get(1));
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new Rooms(other.database()).execute("UPDATE rowlock.unique_key SET held_until = NULL WHERE key = 'k0'");

            Duration rest = chore.runOnce();

            assertThat(rooms.count("once_more")).isEqualTo(2);
            assertThat(rest).isEqualTo(Duration.ofMillis(250));
        }

        chore.runOnce();
        assertThat(rooms.count("once_more")).isEqualTo(1);
        assertThat(ask("k0").what()).isEqualTo(Enqueued.ONCE_MORE);
    }

    @Test
    void aKeyWhoseRowWasRemovedMeanwhileIsGivenBackToo() {
        EnqueueResult first = ask("k0", UniqueKey.of("k0").onceMore());
        claim(1);
        admin.cancel(ask("k0").id());
        rooms.execute("DELETE FROM rowlock.unique_key");

        chore.runOnce();

        assertThat(ask("k0", UniqueKey.of("k0"))).isEqualTo(new EnqueueResult(first.id(), Enqueued.KEPT));
    }

    @Test
    void aKeyThatANewJobHasTakenMeanwhileIsLeftToIt() {
        followers(1).forEach(admin::cancel);
        EnqueueResult taken = ask("k0");

        chore.runOnce();

        assertThat(taken.what()).isEqualTo(Enqueued.CREATED);
        assertThat(ask("k0")).isEqualTo(new EnqueueResult(taken.id(), Enqueued.REPLACED));
        assertThat(rooms.count("once_more")).isZero();
    }

    /** Jobs that wait for the ends of as many that run. */
    private List<Long> followers(int count) {
        List<Long> followers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ask("k" + i);
        }
        claim(count);
        for (int i = 0; i < count; i++) {
            followers.add(ask("k" + i).id());
        }
        return followers;
    }

    private final List<ClaimedJob> running = new ArrayList<>();

    private void claim(int count) {
        running.addAll(rooms.claim(rooms.node(), count));
    }

    private void endAll() {
        running.forEach(job -> rooms.complete(job, false));
    }

    private void refuse(String table, String action, String which) {
        rooms.execute("CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'not this one'; END $$");
        rooms.execute("CREATE TRIGGER refuse BEFORE " + action + " ON rowlock." + table + " FOR EACH ROW WHEN (" + which
                + ") EXECUTE FUNCTION public.refuse()");
    }

    /** The first time finds out whom the server refuses. */
    private void runTwice() {
        chore.runOnce();
        chore.runOnce();
    }

    private EnqueueResult ask(String key) {
        return ask(key, UniqueKey.of(key).onceMore());
    }

    private EnqueueResult ask(String what, UniqueKey key) {
        return jobs.enqueueUnique(new Index(what), key, o -> o.queue(Rooms.QUEUE));
    }

    private List<Long> waitingOnceMore() {
        return rooms.sql("SELECT id FROM rowlock.waiting WHERE reason = 'once-more' ORDER BY id")
                .query(Long.class)
                .list();
    }
}
