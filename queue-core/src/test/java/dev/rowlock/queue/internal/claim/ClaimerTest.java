package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.node.NodeParts;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.store.claim.FindReadyQueues;
import dev.rowlock.queue.internal.store.claim.QueueRange;
import dev.rowlock.queue.internal.store.node.BeatNode.Place;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One claim after the other of a node whose threads never end a job. */
@PostgresTest
class ClaimerTest {

    private static final FetchSettings FETCH = new FetchSettings(Duration.ofMinutes(10), Duration.ZERO, 0);
    private static final int MANY = 100;

    private Rooms rooms;
    private Notifier notifier;
    private QueueWorker worker;
    private ClaimReadyJobs claim;
    private Claimer claimer;
    private long nodeId;

    @BeforeEach
    void prepare(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        notifier = new Notifier(new SendWakeup(rooms.database()));
        nodeId = rooms.node();
        NodeParts parts = parts(database);
        worker = parts.queues().get(0);
        claim = parts.claim();
        claimer = new Claimer(worker, claim, FETCH, new OneOfTwo(nodeId), null);
    }

    @AfterEach
    void close() {
        notifier.close();
    }

    @Test
    void whoIsRefusedATurnOnceMoreRestsLongerUntilItHasHadATurn() throws SQLException {
        rooms.ready(2_000);
        assertThat(claimer.claim()).isZero();
        assertThat(rooms.count("running")).isEqualTo(ClaimReadyJobs.FEW);

        try (OpenTransaction first = claimingMany();
                OpenTransaction second = claimingMany()) {
            assertThat(claimer.claim()).isZero();
            Duration more = claimer.claim();
            assertThat(more).isPositive().isLessThan(FETCH.pollInterval());
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
    void jobsOfALeaseThatIsLostWhileTheyArriveAreNotHeld() {
        rooms.ready(5);
        Claimer interrupted = new Claimer(worker, claim, FETCH, new LosesItsLease(nodeId), null);

        interrupted.claim();

        assertThat(rooms.count("running")).isEqualTo(5);
        assertThat(worker.busyJobs()).isEmpty();
        assertThat(worker.heldTokens()).isEmpty();
    }

    @Test
    void afterALargeClaimThatRanOutOfTimeASmallOneIsMade() {
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
    void afterItsCloseNothingIsClaimed() {
        rooms.ready(5);

        claimer.close();
        claimer.claim();

        assertThat(rooms.count("running")).isZero();
    }

    @Test
    void afterAClaimOnTheListeningConnectionHasFailedThePoolIsUsedForAWhile(TestDatabase database) throws SQLException {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Fetcher.KEPT);
        AtomicInteger uses = new AtomicInteger();
        try (Connection own = database.unpooled().getConnection()) {
            awaitClaimAtOnce(own);
            Connection broken = broken(uses);
            Awaitility.await().until(() -> {
                fetcher.jobsHeard(0, 1, 0, broken);
                claimer.claim(); // if the last claim was slow, this one lets the next look be on the listening
                // connection
                return uses.get() > 0;
            });

            awaitClaimAtOnce(own);
            uses.set(0);
            Awaitility.await().during(Duration.ofMillis(200)).until(() -> {
                fetcher.jobsHeard(0, 1, 0, broken);
                return uses.get() == 0;
            });
        }
    }

    private static Connection broken(AtomicInteger uses) {
        return (Connection) Proxy.newProxyInstance(
                ClaimerTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    uses.incrementAndGet();
                    throw new SQLException("the connection broke", "08006");
                });
    }

    @Test
    void aFetcherThatFindsNothingRestsUntilThePollFindsAJobOfWhichNobodyTold() {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Duration.ofMillis(50));
        Fetchers fetchers = new Fetchers(
                List.of(fetcher), new FindReadyQueues(rooms.database()), new OneOfTwo(nodeId), Duration.ofMillis(50));
        fetchers.start();
        try {
            awaitRest(fetcher); // its thread claims at the start, and each ten minutes

            rooms.ready(3);
            Awaitility.await().until(() -> rooms.count("running") == 3);
            awaitRest(fetcher);
            assertThat(fetchers.broken()).isEmpty();

            claimer.pause(true);
            rooms.ready(1);
            fetchers.wake();
            fetcher.pause(false);
            Awaitility.await().until(() -> rooms.count("running") == 4);
        } finally {
            fetchers.stop();
        }
        Awaitility.await().until(() -> !fetcher.fetching());
        fetcher.wake();
        assertThat(fetcher.fetching()).isFalse();
    }

    /** Wakes it until it does: a claim that was slow is no reason to. */
    private static void awaitRest(Fetcher fetcher) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            boolean rests = fetcher.resting();
            if (!rests) {
                fetcher.wake();
            }
            return rests;
        });
    }

    @Test
    void aQueueWithJobsThatStayReadyIsPolledByItsOwnFetcher() {
        awaitIdle();

        refuse(rooms.ready());
        claimer.claim();
        claimer.claim();

        assertThat(claimer.idleFor(Duration.ZERO)).isFalse();
    }

    @Test
    void aQueueSomeOfWhoseTypesAreLeftToOthersIsPolledByItsOwnFetcher() {
        awaitIdle();

        claimer.leave(Set.of("greet"), false);
        assertThat(claimer.idleFor(Duration.ZERO)).isFalse();

        claimer.leave(Set.of("greet"), true);
        assertThat(claimer.idleFor(Duration.ZERO)).isTrue();
    }

    private void awaitIdle() {
        Awaitility.await().until(() -> {
            claimer.claim();
            return claimer.idleFor(Duration.ZERO);
        });
    }

    @Test
    void afterASlowClaimTheNextIsNotMadeByWhoeverHears(TestDatabase database) throws SQLException {
        try (Connection own = database.unpooled().getConnection()) {
            awaitClaimAtOnce(own);

            slowClaim();
            rooms.ready(1);
            assertThat(claimer.claimAtOnce(own)).isFalse();
            assertThat(rooms.count("running")).isZero();

            awaitClaimAtOnce(own);
            assertThat(rooms.count("running")).isEqualTo(1);
        }
    }

    @Test
    void oneReadyJobThatIsRefusedKeepsNoOthers() {
        long[] jobs = rooms.ready(40);
        refuse(jobs[0]);

        assertThat(claimer.claim()).isZero();
        assertThat(rooms.count("running")).isEqualTo(39);
        assertThat(worker.heldTokens()).hasSize(39);
        assertThat(rooms.roomsOf(jobs[0])).containsExactly("ready");

        rooms.ready(200);
        Awaitility.await().until(() -> {
            claimer.claim();
            return rooms.count("running") == 239;
        });
        assertThat(rooms.roomsOf(jobs[0])).containsExactly("ready");
    }

    @Test
    void whoeverHearsOfJobsClaimsWithoutThoseThatAreRefused(TestDatabase database) throws SQLException {
        refuse(rooms.ready());
        assertThat(claimer.claim()).isPositive();
        try (Connection own = database.unpooled().getConnection()) {
            rooms.ready(1);
            awaitClaimAtOnce(own);
        }

        assertThat(rooms.count("running")).isEqualTo(1);
    }

    private void refuse(long id) {
        rooms.execute("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.id = %d THEN RAISE EXCEPTION 'not this one'; END IF;
                    RETURN NEW;
                END $$
                """.formatted(id));
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.running FOR EACH ROW EXECUTE FUNCTION rowlock.refuse()");
    }

    @AfterEach
    void refuseNothing() {
        rooms.execute("DROP FUNCTION IF EXISTS rowlock.refuse() CASCADE");
    }

    /** Not at the first attempt: any claim may be slow, and the one after it is refused. */
    private void awaitClaimAtOnce(Connection own) {
        Awaitility.await().until(() -> {
            boolean claimed = claimer.claimAtOnce(own);
            if (!claimed) {
                claimer.claim();
            }
            return claimed;
        });
    }

    /** Its statement waits until it has taken longer than a moment. */
    private void slowClaim() throws SQLException {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            other.database()
                    .alone(connection ->
                            connection.createStatement().execute("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE"));
            CompletableFuture<Duration> claim = CompletableFuture.supplyAsync(claimer::claim);
            Awaitility.await().until(() -> rooms.truth("""
                    SELECT EXISTS (SELECT FROM pg_stat_activity
                                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                                      AND clock_timestamp() - query_start > interval '50 ms')
                    """));
            other.rollback();
            claim.join();
        }
    }

    private OpenTransaction claimingMany() throws SQLException {
        OpenTransaction transaction = new OpenTransaction(rooms.database());
        assertThat(new ClaimReadyJobs(transaction.database())
                        .run(Rooms.QUEUE, QueueRange.ALL, MANY, nodeId, null)
                        .inTurn())
                .isTrue();
        return transaction;
    }

    private NodeParts parts(TestDatabase database) {
        NodeSettings settings = new NodeSettings(
                new WorkerSettings(10_000, Map.of(), FETCH, Duration.ofSeconds(1), false),
                new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofSeconds(5), 3),
                RetentionSettings.DEFAULT,
                RetryPolicy.DEFAULT,
                1 << 20,
                false);
        NodeServices services = new NodeServices(
                rooms.database(),
                database.unpooled(),
                TestNode.codec(),
                Extensions.NONE,
                new WakeupBus(notifier),
                null);
        return NodeParts.assemble(
                settings,
                services,
                List.of(ListenerDefinition.of("greet", (context, payload) -> null)
                        .queue(Rooms.QUEUE)));
    }

    /** A node beside another one. */
    private record OneOfTwo(long nodeId) implements NodeView {

        @Override
        public Place place(String queue) {
            return new Place(2, 0);
        }

        @Override
        public boolean hearing() {
            return false;
        }

        @Override
        public void claimFailed() {}
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
