package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.Dispatcher;
import dev.rowlock.queue.internal.janitor.UnacknowledgedClaims;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;

/** A user's trigger keeps some jobs from becoming ready. */
@PostgresTest(freshPerTest = true, migrated = true)
class RefusedJobsTest {

    private final Rooms rooms;
    private final RecordedWakeups heard = new RecordedWakeups();
    private final Dispatcher dispatcher;

    RefusedJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        dispatcher =
                new Dispatcher(new DispatchDueJobs(rooms.database()), heard, Duration.ofMinutes(10), () -> Place.ALONE);
    }

    @Test
    void oneRefusedDueJobDoesNotHoldUpTheOthers() {
        List<Long> jobs = due(40);
        refuse(jobs.get(0));

        look();

        assertThat(rooms.count("ready")).isEqualTo(39);
        assertThat(rooms.roomsOf(jobs.get(0))).containsExactly("waiting");
        assertThat(heard.heard()).isNotEmpty().allMatch(line -> line.matches("\\d+ ready in mail from rank 0"));
    }

    @Test
    void aJobThatIsRefusedOnceStopsNoLaterLook() {
        refuse(due(1).get(0));
        look();

        due(5);
        Duration rest = look();

        assertThat(rooms.count("ready")).isEqualTo(5);
        assertThat(rest).isPositive();
    }

    @Test
    void manyRefusedJobsInFrontAreLeftBehindStepByStep() {
        List<Long> refused = due(250);
        refused.forEach(this::refuse);
        due(1);
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at + interval '1 ms' WHERE id > "
                + refused.get(refused.size() - 1));

        IntStream.rangeClosed(1, 4).forEach(i -> look());

        assertThat(rooms.count("ready")).isEqualTo(1);
        assertThat(rooms.count("waiting")).isEqualTo(250);
    }

    @Test
    void theDispatcherRestsIfEachJobIsRefused() {
        due(3).forEach(this::refuse);

        assertThat(look()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aJobThatIsRefusedNoMoreIsMovedAtTheNextTry() {
        List<Long> jobs = due(3);
        refuse(jobs.get(0));
        refuse(jobs.get(1));
        RefusedJobs aside = new RefusedJobs("cannot be moved", Duration.ZERO);
        DispatchDueJobs dispatch = new DispatchDueJobs(rooms.database());
        assertThatThrownBy(() -> dispatch.named(jobs))
                .isInstanceOfSatisfying(
                        DataAccessException.class,
                        e -> assertThat(aside.apart(() -> jobs, dispatch::named, e))
                                .isTrue());
        assertThat(aside.ids()).containsExactlyInAnyOrderElementsOf(jobs.subList(0, 2));

        rooms.execute("DELETE FROM refused WHERE id = " + jobs.get(0));
        Awaitility.await().until(() -> {
            aside.tryAgain(dispatch::named, 10);
            return aside.ids().size() == 1;
        });

        assertThat(aside.ids()).containsExactly(jobs.get(1));
        assertThat(rooms.roomsOf(jobs.get(0))).containsExactly("ready");
    }

    @Test
    void aJobRefusedForLackOfDiskSpaceIsNotLeftAside() {
        List<Long> jobs = due(10);
        refuse(jobs.get(0), "53100");

        look();
        assertThat(rooms.count("ready")).isEqualTo(9);
        rooms.execute("DELETE FROM refused");
        look();

        assertThat(rooms.count("ready")).isEqualTo(10);
    }

    @Test
    void noJobIsLeftAsideIfATableIsMissing() {
        due(3);
        rooms.execute("ALTER TABLE rowlock.ready RENAME TO gone");
        assertThatThrownBy(this::look).isInstanceOf(DataAccessException.class);
        rooms.execute("ALTER TABLE rowlock.gone RENAME TO ready");

        look();

        assertThat(rooms.count("ready")).isEqualTo(3);
    }

    @Test
    void aServerThatDoesNotAnswerIsNotAskedForTheRefusedJobs() {
        for (String state : List.of("08006", "57P01", "57014")) {
            DataAccessException failure =
                    new DataAccessResourceFailureException("no answer", new SQLException("no answer", state));

            assertThatThrownBy(() -> new RefusedJobs("cannot be moved")
                            .apart(
                                    () -> {
                                        throw new AssertionError("asked");
                                    },
                                    ids -> {},
                                    failure))
                    .isSameAs(failure);
        }
    }

    @Test
    void oneRefusedStrandedClaimDoesNotHoldUpTheOthers() {
        List<ClaimedJob> jobs = rooms.running(20);
        TestOwnNode own = new TestOwnNode(rooms.number("SELECT id FROM rowlock.node"));
        refuse(jobs.get(0).id());
        UnacknowledgedClaims stranded =
                new UnacknowledgedClaims(new ReleaseStrandedJobs(rooms.database()), own, Wakeups.NONE);

        stranded.release(own.id, jobs.get(19).claim().token());

        assertThat(rooms.count("ready")).isEqualTo(19);
        assertThat(rooms.roomsOf(jobs.get(0).id())).containsExactly("running");
    }

    private Duration look() {
        dispatcher.waitingHere(Duration.ZERO);
        return dispatcher.runOnce();
    }

    private List<Long> due(int count) {
        Due now = Due.after(Duration.ZERO);
        return LongStream.range(0, count).map(i -> rooms.waiting(now)).boxed().toList();
    }

    private void refuse(long id) {
        refuse(id, "P0001");
    }

    private void refuse(long id, String state) {
        if (!rooms.truth("SELECT to_regclass('refused') IS NOT NULL")) {
            rooms.execute("CREATE TABLE refused (id bigint)");
            rooms.execute("""
                    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF EXISTS (SELECT FROM refused WHERE id = NEW.id) THEN
                            RAISE EXCEPTION 'not this one' USING ERRCODE = '%s';
                        END IF;
                        RETURN NEW;
                    END $$
                    """.formatted(state));
            rooms.execute(
                    "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.ready FOR EACH ROW EXECUTE FUNCTION refuse()");
        }
        rooms.execute("INSERT INTO refused VALUES (" + id + ")");
    }
}
