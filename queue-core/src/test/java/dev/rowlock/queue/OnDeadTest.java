package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.spi.ManualNode;
import dev.rowlock.queue.spring.AnnotatedListeners;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener names a method that is called once for each of its jobs that has died. */
@PostgresTest(migrated = true)
class OnDeadTest {

    @JobType(value = "book-trip", queue = "trips")
    record BookTrip(String customer, double price, String notes) {

        BookTrip(String customer) {
            this(customer, 0.1, "");
        }
    }

    record Call(BookTrip trip, DeadJob job, JobContext context, Map<String, String> headers) {}

    static final class Trips {

        private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();

        @JobListener(onDead = "refund", maxRetries = "1", initialInterval = "1ms")
        void book(BookTrip trip) {
            throw new IllegalStateException("no room for " + trip.customer());
        }

        void refund(DeadJob job, BookTrip trip, JobContext context) {
            calls.add(new Call(trip, job, context, context.headers()));
            if (trip.customer().equals("nobody")) {
                throw new DoNotRetryException("no account");
            }
        }

        Call next() throws InterruptedException {
            Call call = calls.poll(60, TimeUnit.SECONDS);
            assertThat(call).isNotNull();
            return call;
        }
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private final Trips trips = new Trips();
    private final TestDatabase test;
    private final Rooms rooms;

    OnDeadTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("DELETE FROM rowlock.dead_listener");
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    private Rowlock started() {
        return rowlocks.started(Rowlocks.quick(test.dataSource()).listeners(AnnotatedListeners.of(trips)));
    }

    @Test
    void itIsCalledOnceWithPayloadHeadersAndTheLastError() throws Exception {
        Instant before = Instant.now();
        Rowlock rowlock = started();

        long id = rowlock.jobs()
                .enqueue(
                        new BookTrip("Ada"),
                        o -> o.header("tenant", "7").key("ada").priority(5));

        Call call = trips.next();
        assertThat(call.trip()).isEqualTo(new BookTrip("Ada"));
        assertThat(call.headers()).isEqualTo(Map.of("tenant", "7"));
        assertThat(call.context().id()).isNotEqualTo(id);
        assertThat(call.context().queue()).isEqualTo("trips");
        DeadJob dead = call.job();
        assertThat(dead.id()).isEqualTo(id);
        assertThat(dead.type()).isEqualTo("book-trip");
        assertThat(dead.queue()).isEqualTo("trips");
        assertThat(dead.quarantined()).isFalse();
        assertThat(dead.attempts()).isEqualTo(2);
        assertThat(dead.diedAt()).isAfter(before.minusSeconds(60));
        assertThat(dead.lastError().message()).isEqualTo("no room for Ada");
        assertThat(dead.lastError().trace()).isEmpty();
        JobDetails teller = awaitEnded(rowlock, call.context().id());
        assertThat(teller.type()).isEqualTo("book-trip.dead");
        assertThat(teller.key()).isNull();
        assertThat(teller.priority()).isEqualTo(5);
        assertThat(tellers()).isEqualTo(1);
    }

    @Test
    void aLargePayloadComesWhole() throws Exception {
        BookTrip large = new BookTrip("Ada", 1e-300, "n".repeat(50_000));

        started().jobs().enqueue(large);

        assertThat(trips.next().trip()).isEqualTo(large);
    }

    @Test
    void headersThatTheDatabaseCannotReadAsTextComeAlong() throws Exception {
        started()
                .jobs()
                .enqueue(new BookTrip("Ada"), o -> o.header("tenant", "7\0").header("half", "\ud800"));

        assertThat(trips.next().headers()).isEqualTo(Map.of("tenant", "7\ufffd", "half", "\ufffd"));
    }

    @Test
    void aJobThatAnotherNodeHasQuarantinedIsToldAsWell() throws Exception {
        Rowlock rowlock = rowlocks.built(Rowlocks.quick(test.dataSource()).listeners(AnnotatedListeners.of(trips)));
        long id = rowlock.jobs().enqueue(new BookTrip("Ada"), o -> o.queue(Rooms.QUEUE));
        rooms.bury(rooms.claim(rooms.node(), 1).get(0).claim());
        rooms.execute("UPDATE rowlock.dead SET state = 'quarantined', errors = NULL");

        rowlock.start();

        DeadJob dead = trips.next().job();
        assertThat(dead.id()).isEqualTo(id);
        assertThat(dead.quarantined()).isTrue();
        assertThat(dead.lastError()).isNull();
    }

    @Test
    void aJobThatIsRedrivenAndDiesAgainIsToldAgain() throws Exception {
        Rowlock rowlock = started();
        long id = rowlock.jobs().enqueue(new BookTrip("Ada"));
        trips.next();

        rowlock.admin().redrive(id);

        assertThat(trips.next().job().id()).isEqualTo(id);
    }

    @Test
    void nothingIsCalledWhereTheCallItselfDies() throws Exception {
        Rowlock rowlock = started();
        rowlock.jobs().enqueue(new BookTrip("nobody"));

        long teller = trips.next().context().id();
        assertThat(awaitEnded(rowlock, teller).errors()).hasSize(1);
        rowlock.jobs().enqueue(new BookTrip("Ada"));

        assertThat(trips.next().trip().customer()).isEqualTo("Ada");
        assertThat(tellers()).isEqualTo(2);
    }

    @Test
    void aDefinitionWithoutAnnotationsMayHaveIt() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Rowlock rowlock = rowlocks.started(Rowlocks.quick(test.dataSource())
                .listener(
                        BookTrip.class,
                        o -> o.onDead((job, dead, payload) -> told.add(dead.type() + " " + payload)),
                        (trip, job) -> {
                            throw new DoNotRetryException("never");
                        }));

        rowlock.jobs().enqueue(new BookTrip("Ada"));

        assertThat(told.poll(60, TimeUnit.SECONDS)).startsWith("book-trip {\"customer\":\"Ada\"");
    }

    @Test
    void itRunsOnTheThreadOfATestAsWell() {
        Rowlock rowlock = rowlocks.built(Rowlocks.quick(test.dataSource()).listeners(AnnotatedListeners.of(trips)));
        rowlock.jobs().enqueue(new BookTrip("Ada"));

        try (ManualNode node = rowlock.manualNode()) {
            assertThat(node.runNext()).isPresent();
            node.advance(Duration.ofMinutes(1));
            assertThat(node.runNext()).isPresent();
            assertThat(node.runNext()).map(attempt -> attempt.job().type()).hasValue("book-trip.dead");
            assertThat(node.runNext()).isEmpty();
        }

        assertThat(trips.calls).hasSize(1);
    }

    private static JobDetails awaitEnded(Rowlock rowlock, long id) {
        return await().until(() -> rowlock.search().find(id).orElseThrow(), job -> job.endedAt() != null);
    }

    private int tellers() {
        return FrontDoors.search(rooms.database())
                .find(JobFilter.where().type("book-trip.dead"), Page.first(10))
                .jobs()
                .size();
    }
}
