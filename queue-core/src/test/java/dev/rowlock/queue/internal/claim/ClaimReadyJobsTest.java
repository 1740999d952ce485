package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static dev.rowlock.queue.internal.db.Rooms.ids;
import static dev.rowlock.queue.internal.db.Rooms.part;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@PostgresTest(migrated = true)
@Representative
class ClaimReadyJobsTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final ClaimReadyJobs claim;

    ClaimReadyJobsTest(TestDatabase database) {
        test = database;
        rooms = Rooms.emptyIn(database);
        claim = new ClaimReadyJobs(rooms.database());
    }

    @Test
    void aClaimMovesTheJobToRunningUnderAToken() {
        long id = rooms.ready();
        long node = rooms.node();

        ClaimedJob job = claim.run(QUEUE, QueueRange.ALL, 10, node, null).jobs().get(0);

        assertThat(rooms.roomsOf(id)).containsExactly("running");
        assertThat(rooms.look(id))
                .containsEntry("state", "running")
                .containsEntry("token", job.claim().token())
                .containsEntry("node_id", node)
                .containsEntry("attempt", 1);
        assertThat(job.id()).isEqualTo(id);
    }

    @Test
    void aLookAtUrgentJobsTakesNoOthers() {
        rooms.ready(List.of(Rooms.job(QUEUE, -2), Rooms.job(QUEUE, -1), Rooms.job(QUEUE, 0)));
        long node = rooms.node();

        assertThat(claim.run(QUEUE, QueueRange.ofRank(-1), 10, node, null).jobs())
                .hasSize(1);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.ready WHERE rank = -1"))
                .isZero();
        assertThat(claim.run(QUEUE, QueueRange.ofRank(-1), ClaimReadyJobs.FEW + 1, node, null)
                        .jobs())
                .isEmpty();
    }

    @Test
    void aClaimByIdTakesOnlyReadyJobsOfTheQueue() {
        long here = rooms.ready();
        long elsewhere = rooms.ready(List.of(Rooms.job("other", 0)))[0];
        long waiting = rooms.waiting(Due.after(Duration.ofHours(1)));
        List<Long> names = List.of(here, elsewhere, waiting);
        long gone = rooms.node();
        rooms.declareDead(gone);

        assertThat(claim.named(QUEUE, names, 0, gone, null).jobs()).isEmpty();
        assertThat(Rooms.ids(claim.named(QUEUE, names, 0, rooms.node(), null).jobs()))
                .containsExactly(here);
        assertThat(rooms.roomsOf(elsewhere)).containsExactly("ready");
    }

    @Test
    void jobsThatAreLeftOutStayReady() {
        long[] jobs = rooms.ready(5);
        QueueRange without = QueueRange.ALL.without(List.of(jobs[0], jobs[3]));
        long node = rooms.node();

        assertThat(claim.names(QUEUE, without, 2)).containsExactly(jobs[1], jobs[2]);
        assertThat(Rooms.ids(claim.run(QUEUE, without, 2, node, null).jobs())).containsExactly(jobs[1], jobs[2]);
        assertThat(Rooms.ids(claim.run(QUEUE, without, ClaimReadyJobs.FEW + 1, node, null)
                        .jobs()))
                .containsExactly(jobs[4]);
    }

    @Test
    void aClaimedJobCarriesWhatWasEnqueued() {
        NewJob order = new NewJob(
                QUEUE, "ship", -5, null, 3, Duration.ofSeconds(90), "{\"order\": 7}", "{\"trace\": \"abc\"}", null);
        rooms.ready(List.of(order));

        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);

        assertThat(job.queue()).isEqualTo(QUEUE);
        assertThat(job.type()).isEqualTo("ship");
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isZero();
        assertThat(job.payload()).isEqualTo("{\"order\": 7}");
        assertThat(job.headers()).isEqualTo("{\"trace\": \"abc\"}");
        assertThat(job.maxRetries()).isEqualTo(3);
        assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(job.waited()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
    }

    @Test
    void jobsOfOneClaimHaveEachTheirOwnType() {
        List<String> types = List.of("ship", "bill", "bill", "ship");
        rooms.ready(types.stream()
                .map(type -> new NewJob(QUEUE, type, 0, null, null, null, "{}", null, null))
                .toList());

        List<ClaimedJob> jobs = rooms.claim(rooms.node(), 4);

        assertThat(jobs).extracting(ClaimedJob::type).isEqualTo(types);
    }

    @Test
    void aClaimedJobKnowsHowLongItHasBeenReady() {
        rooms.ready(1);
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at - interval '1 hour'");

        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);

        assertThat(job.waited()).isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
    }

    @Test
    void aJobThatWasEnqueuedWhileTheClaimWasUnderWayHasNotWaited() {
        rooms.ready();
        rooms.execute(
                "UPDATE rowlock.ready SET ready_at = '2100-01-01T00:00:00Z', enqueued_at = '2100-01-01T00:00:00Z'");

        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);

        assertThat(job.waited()).isZero();
        assertThat(job.enqueuedAt()).isEqualTo("2100-01-01T00:00:00Z");
    }

    @Test
    void urgentJobsComeFirstThenThoseThatWereReadyFirst() {
        long late = rooms.ready(List.of(Rooms.job(QUEUE, 0)))[0];
        long urgent = rooms.ready(List.of(Rooms.job(QUEUE, -1)))[0];
        long early = rooms.ready(List.of(Rooms.job(QUEUE, 0)))[0];
        long last = rooms.ready(List.of(Rooms.job(QUEUE, 1)))[0];
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at - interval '1 hour' WHERE id = " + early);

        Batch batch = claim.run(QUEUE, QueueRange.ALL, 3, rooms.node(), null);

        assertThat(ids(batch.jobs())).containsExactly(urgent, early, late);
        assertThat(rooms.roomsOf(last)).containsExactly("ready");
    }

    @Test
    void theCursorIsExactToTheMicrosecondWhateverTheTime() {
        int jobs = 200;
        long first = rooms.ready(jobs)[0];
        rooms.execute(
                "UPDATE rowlock.ready SET ready_at = timestamptz 'epoch' + (id - %d) * interval '20999999.000007 s'"
                        .formatted(first));
        long node = rooms.node();

        List<OffsetDateTime> reached = new ArrayList<>();
        QueueRange next = QueueRange.ALL;
        for (int i = 0; i < jobs; i++) {
            Batch batch = claim.run(QUEUE, next, 1, node, null);
            reached.add(rooms.sql("SELECT to_timestamp(?)")
                    .param(Objects.requireNonNull(batch.last()).epochSeconds())
                    .query(OffsetDateTime.class)
                    .single());
            next = behind(batch);
        }

        assertThat(reached)
                .isEqualTo(rooms.sql("SELECT ready_at FROM rowlock.running ORDER BY ready_at")
                        .query(OffsetDateTime.class)
                        .list());
    }

    @Test
    void aCursorPassesOverJobsThatStandBeforeItAndTheFrontFindsThem() {
        rooms.ready(2);
        long node = rooms.node();
        Batch claimed = claim.run(QUEUE, QueueRange.ALL, 2, node, null);
        long urgent = rooms.ready(List.of(Rooms.job(QUEUE, -1)))[0];

        Batch behind = claim.run(QUEUE, behind(claimed), 2, node, null);
        Batch front = claim.run(QUEUE, QueueRange.ALL, 2, node, null);

        assertThat(behind.jobs()).isEmpty();
        assertThat(ids(front.jobs())).containsExactly(urgent);
    }

    @Test
    void aClaimTakesNothingFromOtherQueues() {
        long other = rooms.ready(List.of(Rooms.job("mail-2", 0)))[0];
        long node = rooms.node();

        Batch batch = claim.run(QUEUE, QueueRange.ALL, 10, node, null);

        assertThat(batch.jobs()).isEmpty();
        assertThat(rooms.roomsOf(other)).containsExactly("ready");
    }

    @Test
    void claimTokensGrow() {
        long node = rooms.node();
        List<Long> tokens = new ArrayList<>();

        for (int round = 0; round < 5; round++) {
            rooms.ready(3);
            List<ClaimedJob> jobs = rooms.claim(node, 3);
            tokens.addAll(jobs.stream().map(job -> job.claim().token()).sorted().toList());
            new OutcomeStatements(rooms.database(), true)
                    .release(jobs.stream().map(ClaimedJob::claim).toList());
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(15);
    }

    @Test
    void aNodeThatWasDeclaredDeadClaimsNothing() {
        long id = rooms.ready();
        long node = rooms.node();
        rooms.declareDead(node);

        Batch batch = claim.run(QUEUE, QueueRange.ALL, 10, node, null);

        assertThat(batch.jobs()).isEmpty();
        assertThat(rooms.roomsOf(id)).containsExactly("ready");
    }

    @Test
    void aJobsOwnTimeoutDecidesOverItsListenersAndADeadlineLeavesTimeForTheLongestWaitBeforeTheHandlerBegins() {
        NewJob own = new NewJob(QUEUE, "send", 0, null, null, Duration.ofSeconds(5), "{}", null, null);
        NewJob listeners = new NewJob(QUEUE, "send", 1, null, null, null, "{}", null, null);
        NewJob none = new NewJob(QUEUE, "print", 2, null, null, null, "{}", null, null);
        rooms.ready(List.of(own, listeners, none));

        new ClaimReadyJobs(rooms.database(), Duration.ofSeconds(3))
                .run(QUEUE, QueueRange.ALL, 10, rooms.node(), "{\"send\": 60000}");

        assertThat(rooms.sql("""
                                SELECT date_part('epoch', deadline - claimed_at)::int FROM rowlock.running ORDER BY rank
                                """).query(Integer.class).list()).containsExactly(8, 63, null);
    }

    @Test
    void aLargePayloadStaysBehindUntilItsJobStarts() {
        // Digits of a hash, since the size counts compressed.
        String large = rooms.sql("SELECT to_json(string_agg(md5(i::text), '')) FROM generate_series(1, 10000) i")
                .query(String.class)
                .single();
        rooms.ready(List.of(new NewJob(QUEUE, "send", 0, null, null, null, large, null, null), Rooms.job()));

        List<ClaimedJob> jobs = rooms.claim(rooms.node(), 2);

        ClaimStatements load = new ClaimStatements(rooms.database());
        assertThat(jobs.get(0).payload()).isNull();
        assertThat(load.payload(jobs.get(0).claim())).contains(large);
        assertThat(load.payload(Rooms.stale(jobs.get(0).claim()))).isEmpty();
        assertThat(jobs.get(1).payload()).isNotNull();
    }

    @Test
    void aReleasedJobKeepsItsPlace() {
        long[] ids = rooms.ready(3);
        List<ClaimedJob> first = rooms.claim(rooms.node(), 1);

        new OutcomeStatements(rooms.database(), true)
                .release(List.of(first.get(0).claim()));

        assertThat(ids(rooms.claim(rooms.node(), 3))).containsExactlyElementsOf(part(ids, 0, ids.length));
    }

    @Test
    void theWaitForAConnectionIsNotCountedAsCost() {
        rooms.ready(1);
        long node = rooms.node();
        AtomicReference<Duration> waited = new AtomicReference<>();
        DataSource slow = new DelegatingDataSource(test.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                long begun = System.nanoTime();
                LockSupport.parkNanos(100_000_000);
                Connection connection = super.getConnection();
                waited.set(Duration.ofNanos(System.nanoTime() - begun));
                return connection;
            }
        };

        long begun = System.nanoTime();
        Batch batch = new ClaimReadyJobs(new Database(slow, rooms.database().schema()))
                .run(QUEUE, QueueRange.ALL, 1, node, null);
        Duration all = Duration.ofNanos(System.nanoTime() - begun);

        assertThat(batch.jobs()).hasSize(1);
        assertThat(batch.took()).isPositive().isLessThanOrEqualTo(all.minus(waited.get()));
    }

    private static QueueRange behind(Batch batch) {
        return QueueRange.from(Objects.requireNonNull(batch.last()));
    }
}
