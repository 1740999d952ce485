package dev.rowlock.queue;

import static dev.rowlock.queue.operate.BulkAction.State.CANCELLED;
import static dev.rowlock.queue.operate.BulkAction.State.FINISHED;
import static dev.rowlock.queue.operate.BulkAction.State.RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.ExplainedDatabase;
import dev.rowlock.queue.internal.store.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.operate.DoBulkBatch;
import dev.rowlock.queue.internal.store.operate.DoBulkBatch.Done;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What an operator does to many jobs, batch by batch. */
@PostgresTest(migrated = true)
class BulkActionsTest {

    private static final JobFilter MAIL = JobFilter.where().queue(Rooms.QUEUE);

    private final TestDatabase test;
    private final Rooms rooms;
    private final Database database;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final TransactionTemplate transaction;

    BulkActionsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        database = rooms.database();
        admin = FrontDoors.admin(database, wakeups);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    // From the call to the end

    @Test
    void jobsAreCountedFirstAndNothingHasHappenedYet() {
        dead(2_500, Rooms.QUEUE);
        dead(3, "print");

        BulkAction action = admin.by("ann", "the mail server is back").redrive(MAIL);

        assertThat(action.counted()).isEqualTo(2_500);
        assertThat(action.countedAll()).isTrue();
        assertThat(action.done()).isZero();
        assertThat(action.state()).isEqualTo(RUNNING);
        assertThat(action.who()).isEqualTo("ann");
        assertThat(rooms.count("dead")).isEqualTo(2_503);
        assertThat(wakeups.heard()).containsExactly("attention");
    }

    @Test
    void deadJobsAreRedrivenInBatchesWithProgress() {
        dead(2_500, Rooms.QUEUE);
        dead(3, "print");
        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        Optional<Done> first = batch.run();

        assertThat(first).contains(new Done(id, 1_000, true, false));
        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 1_000L));
        batch.run();
        batch.run();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2_500L));
        assertThat(admin.bulkAction(id).orElseThrow().endedAt()).isNotNull();
        assertThat(batch.run()).isEmpty();
        assertThat(rooms.count("waiting")).isEqualTo(2_500);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE queue = 'print'"))
                .isEqualTo(3);
    }

    @Test
    void onlyJobsThatMatchAreDiscardedAndTheBooksBalance() {
        dead(5, Rooms.QUEUE);
        rooms.execute("UPDATE rowlock.dead SET type = 'print' WHERE id % 2 = 0");
        long others = rooms.number("SELECT count(*) FROM rowlock.dead WHERE type <> 'print'");

        BulkAction action = admin.discard(JobFilter.where().type("print").states(JobState.FAILED));
        doAll();

        assertThat(rooms.count("dead")).isEqualTo(others);
        assertThat(progress(action.id())).isEqualTo(tuple(FINISHED, 5 - others));
        assertThat(rooms.number("SELECT sum(jobs) FROM rowlock.dropped WHERE room = 'dead'"))
                .isEqualTo(5 - others);
    }

    @Test
    void aPurgeEndsAllJobsThatHaveNotBegunAsCancelled() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long running = rooms.running().id();
        long dead = rooms.dead();
        long[] ready = rooms.ready(3);
        rooms.ready(java.util.List.of(Rooms.job("print", 0)));

        BulkAction action = admin.purge(Rooms.QUEUE);
        long later = rooms.ready();
        doAll();

        assertThat(action.counted()).isEqualTo(rooms.count("done"));
        assertThat(rooms.roomsOf(waiting)).containsExactly("done");
        assertThat(rooms.roomsOf(ready[1])).containsExactly("done");
        assertThat(rooms.look(waiting)).containsEntry("state", "cancelled");
        assertThat(rooms.roomsOf(running)).containsExactly("running");
        assertThat(rooms.roomsOf(dead)).containsExactly("dead");
        assertThat(rooms.roomsOf(later)).containsExactly("ready");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.ready WHERE queue = 'print'"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 1})
    void aPurgeAfterALongAbsenceMakesThePartitionThatItNeeds(int stretch) {
        rooms.ready();
        admin.purge(Rooms.QUEUE);
        rooms.execute("UPDATE rowlock.bulk_action SET stretch = " + stretch);
        rooms.dropDonePartitions();

        doAll();

        assertThat(rooms.count("done")).isEqualTo(1);
    }

    @Test
    void theAuditSaysHowManyJobsItWasDoneTo() {
        dead(1_500, Rooms.QUEUE);
        long id = admin.by("ann", "wrong price").redrive(MAIL, 100_000).id();
        new DoBulkBatch(database).run();

        AuditEntry halfway = admin.audit(null, 1).get(0);
        admin.by("bob", null).cancelBulkAction(id);

        assertThat(halfway.who()).isEqualTo("ann");
        assertThat(halfway.why()).isEqualTo("wrong price");
        assertThat(halfway.action()).isEqualTo("redrive");
        assertThat(halfway.subject()).isEqualTo("queue=mail");
        assertThat(halfway.detail()).isEqualTo("100000 a second");
        assertThat(halfway.jobs()).isEqualTo(1_000);
        assertThat(halfway.bulkActionId()).isEqualTo(id);
        assertThat(admin.audit(null, 1))
                .extracting(AuditEntry::who, AuditEntry::action, AuditEntry::subject)
                .containsExactly(tuple("bob", "cancel bulk action", "bulk action " + id));
    }

    // What is refused

    @Test
    void aFilterThatSaysNothingIsRefusedAndNothingIsChanged() {
        rooms.dead();

        assertThatThrownBy(() -> admin.discard(JobFilter.where()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("discard with a filter that has no condition")
                .hasMessageContaining("JobFilter.all()");
        assertThatThrownBy(() -> admin.redrive(JobFilter.where().states(JobState.RUNNING)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[failed, quarantined]");
        assertThatThrownBy(() -> admin.redrive(MAIL, 0)).hasMessageContaining("must lie between 1 and");

        assertThat(rooms.count("bulk_action")).isZero();
        assertThat(rooms.count("audit")).isZero();
        assertThat(rooms.count("dead")).isEqualTo(1);
    }

    @Test
    void whoMeansAllJobsSaysSo() {
        dead(2, Rooms.QUEUE);
        dead(1, "print");

        BulkAction action = admin.discard(JobFilter.all());
        doAll();

        assertThat(action.counted()).isEqualTo(3);
        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void anActionRollsBackWithItsTransaction() {
        rooms.dead();

        transaction.executeWithoutResult(status -> {
            assertThat(admin.redrive(MAIL).counted()).isEqualTo(1);
            status.setRollbackOnly();
        });

        assertThat(admin.bulkActions(null, 10)).isEmpty();
        assertThat(rooms.count("audit")).isZero();
        assertThat(wakeups.heard()).isEmpty();
    }

    // Whatever dies

    @Test
    void aBatchThatIsNotCommittedHasNotHappened() throws Exception {
        dead(2_000, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        try (OpenTransaction dying = new OpenTransaction(database)) {
            new DoBulkBatch(dying.database()).run();
            dying.rollback(); // as the server does when the node's connection breaks
        }

        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 0L));
        assertThat(rooms.count("dead")).isEqualTo(2_000);
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 2_000L));
        assertThat(rooms.count("waiting")).isEqualTo(2_000);
    }

    @Test
    void aNodeLeavesAnActionToTheOneThatWorksOnIt() throws Exception {
        dead(1_500, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();

        Optional<Done> ours;
        try (OpenTransaction other = new OpenTransaction(database)) {
            new DoBulkBatch(other.database()).run();
            ours = new DoBulkBatch(database).run();
            other.commit();
        }

        assertThat(ours).isEmpty();
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 1_500L));
        assertThat(rooms.count("waiting")).isEqualTo(1_500);
    }

    @Test
    void aJobThatSomebodyElseHasLockedIsNotForgotten() throws Exception {
        dead(10, Rooms.QUEUE);
        long locked = rooms.number("SELECT min(id) + 3 FROM rowlock.dead");
        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        Optional<Done> behind;
        try (OpenTransaction other = new OpenTransaction(database)) {
            FrontDoors.admin(other.database(), wakeups).changePriority(locked, 5);
            batch.run();
            behind = batch.run();
            other.rollback();
        }

        assertThat(behind).contains(new Done(id, 0, false, true));
        assertThat(rooms.count("waiting")).isEqualTo(9);
        doAll();
        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 10L));
    }

    @Test
    void aRedriveEndsThoughItsJobsDieAgainAtOnce() throws Exception {
        dead(30, Rooms.QUEUE);
        long locked = rooms.number("SELECT min(id) FROM rowlock.dead");
        long id = admin.redrive(MAIL).id();
        rooms.execute("""
                CREATE OR REPLACE FUNCTION die_again() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    DELETE FROM rowlock.waiting WHERE id = NEW.id;
                    INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                    VALUES (NEW.id, clock_timestamp(), now(), 0, 1, 0, 'failed', NEW.queue, NEW.type, NEW.payload);
                    RETURN NULL;
                END $$
                """);
        rooms.execute(
                "CREATE TRIGGER die_again AFTER INSERT ON rowlock.waiting FOR EACH ROW EXECUTE FUNCTION die_again()");

        try {
            DoBulkBatch batch = new DoBulkBatch(database, 10);
            try (OpenTransaction other = new OpenTransaction(database)) {
                FrontDoors.admin(other.database(), wakeups).changePriority(locked, 5);
                for (int i = 0; i < 5; i++) {
                    batch.run(); // looks again at all behind the one that is locked
                }
                other.rollback();
            }
            for (int i = 0; i < 5; i++) {
                batch.run();
            }

            assertThat(progress(id)).isEqualTo(tuple(FINISHED, 30L));
        } finally {
            rooms.execute("DROP TRIGGER die_again ON rowlock.waiting");
        }
    }

    // Cancel, and many that match nothing

    @Test
    void aCancelledActionGoesNoFurtherAndWhatItDidStays() {
        dead(2_500, Rooms.QUEUE);
        long id = admin.redrive(MAIL).id();
        new DoBulkBatch(database).run();

        assertThat(admin.cancelBulkAction(id)).isTrue();
        assertThat(admin.cancelBulkAction(id)).isFalse();

        assertThat(new DoBulkBatch(database).run()).isEmpty();
        assertThat(progress(id)).isEqualTo(tuple(CANCELLED, 1_000L));
        assertThat(rooms.count("dead")).isEqualTo(1_500);
    }

    @Test
    void aFilterThatMatchesLittleEndsAsWellStretchByStretch() {
        dead(25_000, "print");
        long last = rooms.dead();

        long id = admin.redrive(MAIL).id();
        DoBulkBatch batch = new DoBulkBatch(database);
        batch.run();
        assertThat(progress(id)).isEqualTo(tuple(RUNNING, 0L));
        doAll();

        assertThat(progress(id)).isEqualTo(tuple(FINISHED, 1L));
        assertThat(rooms.roomsOf(last)).containsExactly("waiting");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchReadsItsStretchAndItsJobsByIndexWhateverTheStatisticsSay(boolean stale) throws Exception {
        dead(30_000, Rooms.QUEUE);
        rooms.fill(20_000, rooms.node());
        rooms.execute("ANALYZE rowlock.dead, rowlock.waiting, rowlock.ready");
        if (stale) {
            rooms.believeEmptied("dead", "waiting", "ready");
        }
        try (ExplainedDatabase explained = new ExplainedDatabase(test, database.schema(), Plans.CUSTOM)) {
            admin.redrive(MAIL);
            new DoBulkBatch(explained.database()).run();
            admin.purge(Rooms.QUEUE);
            new DoBulkBatch(explained.database()).run();

            assertThat(explained.plans())
                    .filteredOn(plan -> plan.contains("taken"))
                    .hasSize(2)
                    .allSatisfy(plan -> assertThat(plan)
                            .doesNotContain("Seq Scan on dead", "Seq Scan on waiting", "Seq Scan on ready"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void jobsThatAreKnownByTheirIdsAreReadByIndexWhateverTheStatisticsSay(boolean stale) throws Exception {
        rooms.fill(20_000, rooms.node());
        dead(30_000, Rooms.QUEUE);
        long first = rooms.number("SELECT min(id) FROM rowlock.dead");
        refuse(first + 3);
        rooms.execute("ANALYZE rowlock.dead, rowlock.waiting, rowlock.ready");
        if (stale) {
            rooms.believeEmptied("dead", "waiting", "ready");
        }
        try (ExplainedDatabase explained = new ExplainedDatabase(test, database.schema(), Plans.CUSTOM)) {
            DoBulkBatch batch = new DoBulkBatch(explained.database());
            admin.redrive(MAIL);
            batch.run(); // the server refuses one: locked first, then moved in parts
            rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1");
            batch.run();
            rooms.execute("UPDATE rowlock.bulk_action SET after_id = last_id, locked_ids = '{%d, %d}'"
                    .formatted(first + 5_000, first + 6_000));
            batch.run();
            admin.purge(Rooms.QUEUE);
            rooms.execute("UPDATE rowlock.bulk_action SET stretch = 1 WHERE kind = 'cancel'");
            batch.run();

            assertThat(explained.plans()).anyMatch(plan -> plan.contains("LockRows") && plan.contains("CTE passed"));
            assertThat(explained.plans())
                    .filteredOn(plan -> plan.contains("on dead") || plan.contains("on waiting"))
                    .hasSizeGreaterThan(12)
                    .allSatisfy(plan -> assertThat(plan)
                            .doesNotContain("Seq Scan on dead", "Seq Scan on waiting", "Seq Scan on ready"));
        } finally {
            rooms.execute("DROP FUNCTION refuse() CASCADE");
        }
    }

    private void refuse(long job) {
        rooms.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF OLD.id = %d THEN RAISE EXCEPTION 'not this one'; END IF;
                    RETURN OLD;
                END $$
                """.formatted(job));
        rooms.execute("CREATE TRIGGER refuse BEFORE DELETE ON rowlock.dead FOR EACH ROW EXECUTE FUNCTION refuse()");
    }

    @Test
    void actionsTakeTurns() {
        dead(3_000, Rooms.QUEUE);
        dead(3_000, "print");
        long one = admin.redrive(MAIL).id();
        long other = admin.redrive(JobFilter.where().queue("print")).id();
        DoBulkBatch batch = new DoBulkBatch(database);

        batch.run();
        batch.run();

        assertThat(progress(one)).isEqualTo(tuple(RUNNING, 1_000L));
        assertThat(progress(other)).isEqualTo(tuple(RUNNING, 1_000L));
    }

    private void doAll() {
        DoBulkBatch batch = new DoBulkBatch(database);
        for (int i = 0; i < 100 && batch.run().isPresent(); i++) {
            // until nothing is left
        }
    }

    private org.assertj.core.groups.Tuple progress(long id) {
        BulkAction action = admin.bulkAction(id).orElseThrow();
        return tuple(action.state(), action.done());
    }

    private void dead(int jobs, String queue) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'failed', '%s', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(queue, jobs));
    }
}
