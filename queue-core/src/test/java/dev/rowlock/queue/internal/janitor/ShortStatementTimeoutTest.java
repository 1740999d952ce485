package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.due.Dispatcher;
import dev.rowlock.queue.internal.due.FutureWaits;
import dev.rowlock.queue.internal.rescue.OverdueJobs;
import dev.rowlock.queue.internal.rescue.StrandedClaims;
import dev.rowlock.queue.internal.rescue.StrayJobs;
import dev.rowlock.queue.internal.rescue.TakeBack;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.claim.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.store.due.DispatchDueJobs;
import dev.rowlock.queue.internal.store.due.RestartWaits;
import dev.rowlock.queue.internal.store.node.BeatNode.Place;
import dev.rowlock.queue.internal.store.node.OverdueClaim;
import dev.rowlock.queue.internal.store.node.OverdueStatements;
import dev.rowlock.queue.internal.store.node.RescueJobs;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** All rows together would take three times as long as a statement may. */
@PostgresTest(freshPerTest = true, migrated = true)
class ShortStatementTimeoutTest {

    private static final int JOBS = 300;

    /** Of each statement. */
    private static final Duration LIMIT = Duration.ofMillis(200);

    /** A batch halves each time until it is small enough, and then goes through the rest. */
    private static final int ENOUGH_TRIES = 40;

    private final Rooms rooms;
    private final Database hurried;

    ShortStatementTimeoutTest(TestDatabase server) {
        rooms = Rooms.emptyIn(server);
        String url = server.jdbcUrl();
        hurried = new Database(
                new DriverManagerDataSource(
                        url + (url.contains("?") ? "&" : "?") + "options=-c%20statement_timeout=" + LIMIT.toMillis(),
                        server.username(),
                        server.password()),
                rooms.database().schema());
    }

    @Test
    void dueJobsAreMoved() {
        rooms.waiting(Collections.nCopies(JOBS, Rooms.job(Due.after(Duration.ZERO))));
        slow("INSERT", "ready");

        insist(
                new Dispatcher(new DispatchDueJobs(hurried), Wakeups.NONE, Duration.ofMillis(10), () -> Place.ALONE)
                        ::runOnce,
                "ready");

        assertThat(rooms.count("ready")).isEqualTo(JOBS);
    }

    @Test
    void jobsOfDeadNodesComeBack() {
        rooms.running(JOBS);
        rooms.execute("DELETE FROM rowlock.node");
        slow("INSERT", "ready");
        TakeBack takeBack = new TakeBack(new RescueJobs(hurried), 3, new JobObserver() {}, Wakeups.NONE);
        StrayJobs strays = new StrayJobs(new TakeChore(rooms.database()), takeBack);

        insist(strays::runOnce, "ready");

        assertThat(rooms.count("ready")).isEqualTo(JOBS);
    }

    @Test
    void strandedClaimsAreReleased() {
        rooms.running(JOBS);
        long node = rooms.number("SELECT max(id) FROM rowlock.node");
        ReleaseStrandedJobs release = new ReleaseStrandedJobs(hurried);
        StrandedClaims chore = new StrandedClaims(release, new TestOwnNode(node), Wakeups.NONE);
        slow("INSERT", "ready");

        insist(() -> chore.release(node, release.lastToken()), "ready");

        assertThat(rooms.count("ready")).isEqualTo(JOBS);
    }

    @Test
    void oneJobThatTakesTooLongAloneDoesNotKeepOthersOfDeadNodesBack() {
        ClaimedJob first = rooms.running();
        rooms.running(20);
        rooms.execute("DELETE FROM rowlock.node");
        slowAlone(first);
        TakeBack takeBack = new TakeBack(new RescueJobs(hurried), 3, new JobObserver() {}, Wakeups.NONE);
        StrayJobs strays = new StrayJobs(new TakeChore(rooms.database()), takeBack);

        insist(strays::runOnce, 11); // until a batch of one

        assertThat(rooms.count("ready")).isEqualTo(20);
        assertThat(rooms.roomsOf(first.id())).containsExactly("running");
    }

    @Test
    void oneStrandedClaimThatTakesTooLongAloneDoesNotKeepOthers() {
        ClaimedJob first = rooms.running(21).get(0);
        long node = rooms.number("SELECT max(id) FROM rowlock.node");
        ReleaseStrandedJobs release = new ReleaseStrandedJobs(hurried);
        StrandedClaims chore = new StrandedClaims(release, new TestOwnNode(node), Wakeups.NONE);
        slowAlone(first);

        insist(() -> chore.release(node, release.lastToken()), 11);

        assertThat(rooms.count("ready")).isEqualTo(20);
        assertThat(rooms.roomsOf(first.id())).containsExactly("running");
    }

    @Test
    void overdueJobsAreTakenFromTheirHandlers() {
        List<ClaimedJob> jobs = rooms.running(JOBS);
        TestOwnNode own = new TestOwnNode(rooms.number("SELECT max(id) FROM rowlock.node"));
        slow("INSERT", "waiting");
        OverdueJobs chore = new OverdueJobs(
                own, new OverdueStatements(hurried), RetryPolicy.DEFAULT, Wakeups.NONE, System::nanoTime);

        Runnable take = () -> {
            Set<Long> left = Set.copyOf(rooms.sql("SELECT id FROM rowlock.running")
                    .query(Long.class)
                    .list());
            own.overdue = jobs.stream()
                    .map(ClaimedJob::claim)
                    .filter(claim -> left.contains(claim.jobId()))
                    .map(OverdueClaim::alone)
                    .toList();
            chore.runOnce();
        };

        insist(take, "waiting");

        assertThat(rooms.count("waiting")).isEqualTo(JOBS);
    }

    @Test
    void waitsBeginAnewAfterTheClockWasSetBack() {
        rooms.waiting(Collections.nCopies(JOBS, Rooms.job(Due.after(Duration.ofHours(1)))));
        rooms.execute("UPDATE rowlock.waiting SET since = since + interval '1 hour'");
        slow("UPDATE", "waiting");

        insist(
                new FutureWaits(new RestartWaits(hurried), Wakeups.NONE)::runOnce,
                ENOUGH_TRIES,
                () -> fromTheFuture() == 0);

        assertThat(fromTheFuture()).isZero();
    }

    private long fromTheFuture() {
        return rooms.number("SELECT count(*) FROM rowlock.waiting WHERE since > now() + interval '1 minute'");
    }

    /** Until all jobs are in this room. */
    private void insist(Runnable chore, String room) {
        insist(chore, ENOUGH_TRIES, () -> rooms.count(room) == JOBS);
    }

    private void slow(String event, String table) {
        rooms.execute("""
                CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(0.002); RETURN NEW; END'""");
        rooms.execute("CREATE TRIGGER slow BEFORE %s ON rowlock.%s FOR EACH ROW EXECUTE FUNCTION public.slow()"
                .formatted(event, table));
    }

    private void slowAlone(ClaimedJob job) {
        rooms.execute("""
                CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN IF NEW.id = %d THEN PERFORM pg_sleep(1); END IF; RETURN NEW; END'""".formatted(job.id()));
        rooms.execute("CREATE TRIGGER slow BEFORE INSERT ON rowlock.ready FOR EACH ROW EXECUTE FUNCTION public.slow()");
    }

    private static void insist(Runnable chore, int tries) {
        insist(chore, tries, () -> false);
    }

    /** As a chore's thread does: what fails is tried again. */
    private static void insist(Runnable chore, int tries, BooleanSupplier done) {
        boolean outOfTime = false;
        for (int i = 0; i < tries && !done.getAsBoolean(); i++) {
            try {
                chore.run();
            } catch (DataAccessException e) {
                assertThat(e).hasStackTraceContaining("statement timeout");
                outOfTime = true;
            }
        }
        assertThat(outOfTime).isTrue();
    }
}
