package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.Dispatcher;
import dev.rowlock.queue.internal.janitor.DuePosition;
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
        assertThat(heard.heard())
                .contains("1 ready in mail from rank 0")
                .allMatch(line -> line.matches("\\d+ ready in mail from rank 0|moved, next in null"));
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
    void manyRefusedJobsInFrontAreLeftBehind() {
        List<Long> refused = due(250);
        refused.forEach(this::refuse);
        due(1);
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at + interval '1 ms' WHERE id > "
                + refused.get(refused.size() - 1));

        look();

        assertThat(rooms.count("ready")).isEqualTo(1);
        assertThat(rooms.count("waiting")).isEqualTo(250);
    }

    @Test
    void theDispatcherRestsIfEachJobIsRefused() {
        due(3).forEach(this::refuse);

        assertThat(look()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aJobThatIsRefusedNoMoreIsMovedAtTheNextTry() {
        List<Long> jobs = due(3);
        refuse(jobs.get(0));
        refuse(jobs.get(1));
        RefusedJobs aside = new RefusedJobs("cannot be moved", 10, Duration.ZERO);
        move(aside);
        assertThat(aside.ids()).containsExactlyInAnyOrderElementsOf(jobs.subList(0, 2));
        assertThat(rooms.roomsOf(jobs.get(2))).containsExactly("ready");

        rooms.execute("DELETE FROM refused WHERE id = " + jobs.get(0));
        assertThat(aside.tryAgain()).isTrue();
        move(aside);

        assertThat(aside.ids()).containsExactly(jobs.get(1));
        assertThat(rooms.roomsOf(jobs.get(0))).containsExactly("ready");
    }

    private void move(RefusedJobs aside) {
        DispatchDueJobs dispatch = new DispatchDueJobs(rooms.database());
        boolean more = true;
        while (more) {
            more = aside.worked(aside.move(
                    10,
                    rows -> dispatch.run(DuePosition.FRONT, rows, aside.ids()).jobs(),
                    () -> dispatch.first(DuePosition.FRONT, aside.ids())));
        }
    }

    @Test
    void whatWasRefusedForAMinuteIsTriedInParts() {
        RefusedJobs aside = new RefusedJobs("cannot be moved", 1, Duration.ZERO);
        List<Long> jobs = LongStream.range(0, 300).boxed().toList();
        aside.these(jobs, some -> {
            throw refusal("23514");
        });
        assertThat(aside.ids()).hasSize(300);

        aside.tryAgain();

        assertThat(aside.ids()).as("those that others need not wait for").hasSize(200);
    }

    @Test
    void aJobRefusedForLackOfDiskSpaceIsLeftAsideForAMomentOnly() {
        List<Long> jobs = due(10);
        refuse(jobs.get(0), "53100");

        look();
        assertThat(rooms.count("ready")).isEqualTo(9);
        rooms.execute("DELETE FROM refused");

        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> {
            look();
            return rooms.count("ready") == 10;
        });
    }

    @Test
    void noJobIsLeftAsideIfATableIsMissing() {
        due(3);
        rooms.execute("ALTER TABLE rowlock.ready RENAME TO gone");
        assertThatThrownBy(this::look).isInstanceOf(DataAccessException.class);
        rooms.execute("ALTER TABLE rowlock.gone RENAME TO ready");

        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> {
            look();
            return rooms.count("ready") == 3;
        });
    }

    @Test
    void aServerThatDoesNotAnswerIsNotAskedForTheRefusedJobs() {
        for (String state : List.of("08006", "57P01", "57014", "55P03", "40P01")) {
            DataAccessException failure = refusal(state);

            assertThatThrownBy(() -> new RefusedJobs("cannot be moved", 1, Duration.ZERO)
                            .move(
                                    1,
                                    rows -> {
                                        throw failure;
                                    },
                                    () -> {
                                        throw new AssertionError("asked");
                                    }))
                    .isSameAs(failure);
        }
    }

    private static DataAccessException refusal(String state) {
        return new DataAccessResourceFailureException("for a test", new SQLException("for a test", state));
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

    /** Until there is nothing more to do at once. */
    private Duration look() {
        dispatcher.waitingHere(Duration.ZERO);
        Duration rest = dispatcher.runOnce();
        while (rest.isZero()) {
            rest = dispatcher.runOnce();
        }
        return rest;
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
