package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.enqueue.EnqueueJobs;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.Leftovers.Stretch;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest(migrated = true)
@Representative
class RemoveLeftoverPayloadsTest {

    private static final int SIZE = NewJob.LARGE + 1;

    private final TestDatabase test;
    private final Rooms rooms;
    private final Leftovers remove;

    RemoveLeftoverPayloadsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        remove = new Leftovers(rooms.database());
    }

    @Test
    void aJobKeepsItsPayloadInWhateverRoomItIs() {
        ClaimedJob done = running();
        rooms.complete(done, true);
        ClaimedJob dead = running();
        rooms.bury(dead.claim());
        long cancelled = rooms.large(1, SIZE)[0];
        new JobStatements(rooms.database()).cancelIdle(cancelled, null);
        ClaimedJob running = running();
        ClaimedJob waiting = running();
        rooms.defer(waiting.claim(), Due.after(Duration.ofDays(1)));
        long ready = rooms.large(1, SIZE)[0];

        Stretch<Long> stretch = remove();

        assertThat(stretch).isEqualTo(new Stretch<>(0, null));
        assertThat(payloads()).containsExactly(done.id(), dead.id(), cancelled, running.id(), waiting.id(), ready);
    }

    @Test
    void thePayloadOfACompletedJobThatIsNotKeptGoes() {
        rooms.complete(running(), false);
        long other = rooms.large(1, SIZE)[0];

        assertThat(remove().removed()).isEqualTo(1);
        assertThat(payloads()).containsExactly(other);
    }

    @Test
    void thePayloadOfACompletedJobThatIsKeptGoesAfterItsPartition() {
        rooms.complete(running(), true);
        rooms.execute("""
                CREATE TABLE rowlock.done_20200101 PARTITION OF rowlock.done
                FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')
                """);
        rooms.execute("UPDATE rowlock.done SET finished_at = '2020-01-01 12:00+00'");

        assertThat(remove().removed()).isZero();

        assertThat(new DropDonePartitions(rooms.database()).run(Duration.ofDays(7)))
                .hasSize(1);
        assertThat(remove().removed()).isEqualTo(1);
    }

    @Test
    void thePayloadOfADeadJobGoesAfterItWasDiscarded() {
        ClaimedJob dead = running();
        rooms.bury(dead.claim());

        assertThat(remove().removed()).isZero();

        new JobStatements(rooms.database()).discard(dead.id(), null);
        assertThat(remove().removed()).isEqualTo(1);
    }

    @Test
    void stretchesFollowEachOtherThroughTheWholeTable() {
        rooms.execute("INSERT INTO rowlock.payload SELECT -i, 1, '1' FROM generate_series(1, 5) i");

        Stretch<Long> first = remove.payloads(Leftovers.FIRST_ID, 3);
        assertThat(first).isEqualTo(new Stretch<>(3, -3L));
        assertThat(payloads()).containsExactly(-2L, -1L);

        assertThat(remove.payloads(-3, 3)).isEqualTo(new Stretch<>(2, null));
        assertThat(remove.payloads(Leftovers.FIRST_ID, 3)).isEqualTo(new Stretch<>(0, null));
    }

    // Races

    @Test
    void aPayloadWhoseEnqueueIsNotCommittedYetIsNotTouched() throws Exception {
        try (OpenTransaction caller = new OpenTransaction(rooms.database())) {
            long id = caller.database()
                    .alone(connection ->
                            new EnqueueJobs(rooms.database().schema()).run(connection, List.of(Rooms.large(SIZE))))[0];

            assertThat(remove()).isEqualTo(new Stretch<>(0, null));
            caller.commit();

            assertThat(remove()).isEqualTo(new Stretch<>(0, null));
            assertThat(rooms.look(id).get("payload")).hasToString(Rooms.largePayload(SIZE));
        }
    }

    @Test
    void thePayloadOfAJobThatIsJustBeingDiscardedStaysUntilThatIsCommitted() throws Exception {
        ClaimedJob dead = running();
        rooms.bury(dead.claim());
        try (OpenTransaction admin = new OpenTransaction(rooms.database())) {
            new JobStatements(admin.database()).discard(dead.id(), null);

            assertThat(remove().removed()).isZero();
            admin.rollback();

            assertThat(rooms.look(dead.id()).get("payload")).isNotNull();
        }
    }

    /** Nobody can stop the chore between plan, snapshot and look, so this one races. */
    @LongRunning
    @Test
    void aJobKeepsItsPayloadHoweverOftenItMovesMeanwhile() throws Exception {
        int rounds = 300;
        rooms.large(10, SIZE);
        long node = rooms.node();
        ExecutorService threads = Executors.newFixedThreadPool(3);

        try {
            List<Future<Long>> ends = threads.invokeAll(List.of(
                    () -> repeat(rounds, () -> rooms.claim(node, 10).forEach(this::moveOn)),
                    () -> repeat(rounds, () -> new DispatchDueJobs(rooms.database()).run(10)),
                    () -> repeat(rounds, () -> remove())));
            for (Future<Long> end : ends) {
                assertThat(end.get()).as("jobs that were seen without payload").isZero();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(payloads()).hasSize(10);
    }

    private long repeat(int rounds, Runnable step) {
        long without = 0;
        for (int round = 0; round < rounds; round++) {
            step.run();
            without += rooms.number("SELECT count(*) FROM rowlock.job_details WHERE payload IS NULL");
        }
        return without;
    }

    /** Through another room each time, and back. */
    private void moveOn(ClaimedJob job) {
        switch ((int) (job.claim().token() % 3)) {
            case 0 -> rooms.defer(job.claim(), Due.after(Duration.ZERO));
            case 1 -> {
                rooms.bury(job.claim());
                new JobStatements(rooms.database()).redrive(job.id(), null);
            }
            default -> new OutcomeStatements(rooms.database(), true).release(List.of(job.claim()));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Plans.class,
            names = {"CUSTOM", "GENERIC"})
    void aStretchIsReadThroughTheIndexAndItsJobsThroughTheirs(Plans plans) throws Exception {
        rooms.fill(6_000, rooms.node());
        rooms.execute("INSERT INTO rowlock.payload SELECT -i, 1, '1' FROM generate_series(1, 10) i");
        rooms.believeEmptied("ready", "waiting", "running");

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
            new Leftovers(explained.database()).payloads(Leftovers.FIRST_ID, 100);

            assertThat(explained.plans())
                    .hasSize(1)
                    .allSatisfy(plan -> assertThat(plan)
                            .contains("payload_pkey", "ready_pkey", "waiting_pkey", "running_pkey")
                            .doesNotContain("Seq Scan on ready", "Seq Scan on waiting", "Seq Scan on running")
                            .doesNotContain("Seq Scan on payload"));
        }
    }

    private Stretch<Long> remove() {
        return remove.payloads(Leftovers.FIRST_ID, 1_000);
    }

    private ClaimedJob running() {
        rooms.large(1, SIZE);
        return rooms.claim(rooms.node(), 1).get(0);
    }

    private List<Long> payloads() {
        return rooms.sql("SELECT job_id FROM rowlock.payload ORDER BY job_id")
                .query(Long.class)
                .list();
    }
}
