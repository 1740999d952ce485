package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.claim.Claimer.KeyedSource;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node whose threads never end a job makes one claim after the other. */
@PostgresTest(migrated = true)
class ClaimerTest {

    private static final int MANY = 100;

    private ClaimingNode node;
    private Rooms rooms;
    private QueueWorker worker;
    private Claimer claimer;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new ClaimingNode(database);
        rooms = node.rooms();
        worker = node.worker();
        claimer = node.claimer();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aNodeRefusedATurnAgainRestsLongerUntilItHasHadATurn() throws SQLException {
        rooms.ready(2_000);
        assertThat(claimer.claim()).isZero();
        assertThat(rooms.count("running")).isEqualTo(ClaimReadyJobs.FEW);

        try (OpenTransaction first = claimingMany();
                OpenTransaction second = claimingMany()) {
            assertThat(claimer.claim()).isZero();
            Duration more = claimer.claim();
            assertThat(more).isPositive().isLessThan(ClaimingNode.FETCH.pollInterval());
            assertThat(rooms.count("running")).isEqualTo(ClaimReadyJobs.FEW);
        }
        assertThat(claimer.claim()).isZero();
        assertThat(rooms.count("running")).isEqualTo(ClaimReadyJobs.FEW + 1_000);
        try (OpenTransaction first = claimingMany();
                OpenTransaction second = claimingMany()) {
            assertThat(claimer.claim()).isZero();
        }
    }

    @Test
    void jobsAreNotHeldIfTheLeaseIsLostWhileTheyArrive() {
        rooms.ready(5);
        Claimer interrupted = new Claimer(
                worker,
                node.claim(),
                new KeyedSource(new ClaimKeyedJobs(rooms.database(), Duration.ZERO), () -> {}),
                ClaimingNode.FETCH,
                new LosesItsLease(node.view().nodeId()),
                null);

        interrupted.claim();

        assertThat(rooms.count("running")).isEqualTo(5);
        assertThat(worker.held().busy()).isEmpty();
        assertThat(worker.held().tokens()).isEmpty();
    }

    @Test
    void aSmallClaimFollowsALargeOneThatRanOutOfTime() {
        rooms.ready(2_000);
        rooms.execute("""
                CREATE FUNCTION public.out_of_time() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF (SELECT count(*) FROM claimed) > 500 THEN
                        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
                    END IF;
                    RETURN NULL;
                END $$""");
        rooms.execute("""
                CREATE TRIGGER out_of_time AFTER INSERT ON rowlock.running REFERENCING NEW TABLE AS claimed
                FOR EACH STATEMENT EXECUTE FUNCTION public.out_of_time()""");
        try {
            claimer.claim();

            assertThatThrownBy(claimer::claim).hasStackTraceContaining("statement timeout");
            claimer.claim();
        } finally {
            rooms.execute("DROP TRIGGER out_of_time ON rowlock.running");
            rooms.execute("DROP FUNCTION public.out_of_time()");
        }

        assertThat(rooms.count("running")).isEqualTo(2L * ClaimReadyJobs.FEW);
    }

    @Test
    void aClosedClaimerClaimsNothing() {
        rooms.ready(5);

        claimer.close();
        claimer.claim();

        assertThat(rooms.count("running")).isZero();
    }

    @Test
    void oneRefusedReadyJobDoesNotHoldUpTheOthers() {
        long[] jobs = rooms.ready(40);
        node.refuse(jobs[0]);

        assertThat(claimer.claim()).isZero();
        assertThat(rooms.count("running")).isEqualTo(39);
        assertThat(worker.held().tokens()).hasSize(39);
        assertThat(rooms.roomsOf(jobs[0])).containsExactly("ready");

        rooms.ready(200);
        Awaitility.await().until(() -> {
            claimer.claim();
            return rooms.count("running") == 239;
        });
        assertThat(rooms.roomsOf(jobs[0])).containsExactly("ready");
    }

    private OpenTransaction claimingMany() throws SQLException {
        OpenTransaction transaction = new OpenTransaction(rooms.database());
        assertThat(new ClaimReadyJobs(transaction.database())
                        .run(Rooms.QUEUE, QueueRange.ALL, MANY, node.view().nodeId(), null)
                        .inTurn())
                .isTrue();
        return transaction;
    }

    /** Its lease is lost just after the claimer has found that it is not, and before the worker has the jobs. */
    private final class LosesItsLease implements NodeView {

        private final long before;
        private int asked;

        LosesItsLease(long before) {
            this.before = before;
        }

        @Override
        public long nodeId() {
            asked++;
            if (asked == 2) {
                worker.abandon(); // by the lease's thread
            }
            return asked <= 2 ? before : 0;
        }

        @Override
        public Place place(String queue) {
            return Place.ALONE;
        }

        @Override
        public boolean hearing() {
            return false;
        }

        @Override
        public void claimFailed() {}
    }
}
