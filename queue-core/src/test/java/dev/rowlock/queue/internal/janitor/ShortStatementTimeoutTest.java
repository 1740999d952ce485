package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
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

    private Chore strayJobs() {
        return new Rescue(
                        new RemoveExpiredNodes(hurried),
                        new TestOwnNode(0),
                        new RescueJobs(hurried),
                        3,
                        new JobObserver() {},
                        Wakeups.NONE)
                .strayJobs(new TakeChore(rooms.database()));
    }

    @Test
    void jobsOfDeadNodesComeBack() {
        rooms.running(JOBS);
        rooms.execute("DELETE FROM rowlock.node");
        slow("INSERT", "ready");
        Chore orphanedJobs = strayJobs();

        insist(orphanedJobs::runOnce, "ready");

        assertThat(rooms.count("ready")).isEqualTo(JOBS);
    }

    @Test
    void unacknowledgedClaimsAreReleased() {
        rooms.running(JOBS);
        long node = rooms.number("SELECT max(id) FROM rowlock.node");
        ReleaseStrandedJobs release = new ReleaseStrandedJobs(hurried);
        UnacknowledgedClaims chore = new UnacknowledgedClaims(release, new TestOwnNode(node), Wakeups.NONE);
        slow("INSERT", "ready");

        insist(() -> chore.release(node, release.lastToken()), "ready");

        assertThat(rooms.count("ready")).isEqualTo(JOBS);
    }

    @LongRunning
    @Test
    void oneJobThatTakesTooLongAloneDoesNotKeepOthersOfDeadNodesBack() {
        ClaimedJob first = rooms.running();
        rooms.running(20);
        rooms.execute("DELETE FROM rowlock.node");
        slowAlone(first);
        Chore orphanedJobs = strayJobs();

        insist(orphanedJobs::runOnce, 11); // until a batch of one

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

    /** Chores that read whole tables cannot do with less. */
    @Test
    void daysThatTakeLongToReadAreIndexedAndDropped() {
        String day = dayThatTakesLong(20);
        IndexDonePartitions index = new IndexDonePartitions(hurried.patient());
        DropDonePartitions drop = new DropDonePartitions(hurried.patient());

        assertThat(index.run()).isEqualTo(day);
        assertThat(drop.run(Duration.ofDays(7))).containsExactly(day);

        assertThat(rooms.number("SELECT jobs FROM rowlock.dropped")).isOne();
    }

    @Test
    void aDayThatTakesTooLongToCountStaysAloneAndIsTold() {
        String stays = dayThatTakesLong(20);
        String goes = dayOf(15);
        List<String> told = new ArrayList<>();

        // Where even the limit of such chores is too short.
        List<String> dropped = new DropDonePartitions(hurried).run(Duration.ofDays(7), (day, why) -> told.add(day));

        assertThat(dropped).containsExactly(goes);
        assertThat(told).containsExactly(stays);
    }

    private String dayOf(int daysAgo) {
        LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(daysAgo);
        String name = "done_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
        rooms.execute("CREATE TABLE rowlock.%s PARTITION OF rowlock.done FOR VALUES FROM ('%s 00:00Z') TO ('%s 00:00Z')"
                .formatted(name, day, day.plusDays(1)));
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type)
                VALUES (nextval('rowlock.job_id'), '%s 12:00Z', now(), 0, 1, 0, 'completed', 'mail', 'send')
                """.formatted(day));
        return name;
    }

    /** Whoever reads one of its rows, its owner too, waits for as long as three statements may take. */
    private String dayThatTakesLong(int daysAgo) {
        String name = dayOf(daysAgo);
        rooms.execute("CREATE POLICY slow ON rowlock.%s USING (pg_sleep(0.6)::text = '')".formatted(name));
        rooms.execute("ALTER TABLE rowlock.%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY".formatted(name));
        return name;
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
