package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.operate.BulkActionStatements;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A job with a value in every column loses nothing when it moves from one room to another. */
@PostgresTest(migrated = true)
class MovesTest {

    private static final String KEY = "customer 7";

    /** What every room has of a job, as it stands in the schema, but for what a move counts or adds to. */
    private static final String KEPT =
            "SELECT (to_jsonb(r) - '{attempt,errors}'::text[] || jsonb_build_object('first error', r.errors -> 0))::text FROM "
                    + "(SELECT %s FROM rowlock.%s WHERE id = ?) AS r";

    private Rooms rooms;
    private Database database;

    @BeforeEach
    void prepare(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        database = rooms.database();
    }

    /** What is done to a claimed job, and where it is afterwards. */
    private record Move(String name, String to, Action action) {

        @Override
        public String toString() {
            return name;
        }
    }

    @FunctionalInterface
    private interface Action {
        void on(MovesTest test, ClaimedJob job);
    }

    private static final AuditNote NOTE = new AuditNote("ann", null, "move", "job", null);

    static Stream<Move> moves() {
        return Stream.of(
                new Move("complete", "done", (test, job) -> test.rooms.complete(job, true)),
                new Move(
                        "complete in a transaction",
                        "done",
                        (test, job) -> new OutcomeStatements(test.database, true)
                                .finishInTransaction(job.claim(), null, true)),
                new Move(
                        "cancel",
                        "done",
                        (test, job) -> new OutcomeStatements(test.database, true)
                                .finish(
                                        List.of(new OutcomeStatements.Finished(job.claim(), JobState.CANCELLED, null)),
                                        true)),
                new Move("bury", "dead", (test, job) -> test.rooms.bury(job.claim())),
                new Move("bury a cancelled one", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.rooms.bury(job.claim());
                }),
                new Move("defer", "waiting", (test, job) -> test.rooms.defer(job.claim(), Due.after(Duration.ZERO))),
                new Move("defer a cancelled one", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.rooms.defer(job.claim(), Due.after(Duration.ZERO));
                }),
                new Move("release", "ready", (test, job) -> test.release(job.claim())),
                new Move("release a cancelled one", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.release(job.claim());
                }),
                new Move("rescue", "ready", (test, job) -> test.rescue(10)),
                new Move("quarantine", "dead", (test, job) -> {
                    test.rooms.execute("UPDATE rowlock.running SET isolated = true");
                    test.rescue(3);
                }),
                new Move("rescue a cancelled one", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.rescue(10);
                }),
                new Move("give back a stranded claim", "ready", (test, job) -> test.strand()),
                new Move("give back a cancelled stranded claim", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.strand();
                }),
                new Move("take when overdue", "waiting", (test, job) -> test.take(job, 100)),
                new Move("take when overdue for the last time", "dead", (test, job) -> test.take(job, 0)),
                new Move("take a cancelled one when overdue", "done", (test, job) -> {
                    test.askToCancel(job);
                    test.take(job, 100);
                }),
                new Move("redrive", "waiting", (test, job) -> {
                    test.rooms.bury(job.claim());
                    test.rooms.execute("UPDATE rowlock.dead SET crashes = 0"); // a new life
                    new JobStatements(test.database).redrive(job.id(), null);
                    test.rooms.execute("UPDATE rowlock.waiting SET crashes = 2");
                }),
                new Move("run a waiting one now", "ready", (test, job) -> {
                    test.rooms.defer(job.claim(), Due.after(Duration.ofDays(1)));
                    new JobStatements(test.database).runNow(job.id(), NOTE);
                }),
                new Move("reschedule a ready one", "waiting", (test, job) -> {
                    test.release(job.claim());
                    new JobStatements(test.database).reschedule(job.id(), Due.after(Duration.ofDays(1)), NOTE);
                }),
                new Move("cancel many waiting ones", "done", (test, job) -> {
                    test.rooms.defer(job.claim(), Due.after(Duration.ofDays(1)));
                    test.bulk(BulkAction.Kind.CANCEL);
                }),
                new Move("cancel many ready ones", "done", (test, job) -> {
                    test.release(job.claim());
                    test.bulk(BulkAction.Kind.CANCEL);
                }),
                new Move("redrive many", "waiting", (test, job) -> {
                    test.rooms.bury(job.claim());
                    test.bulk(BulkAction.Kind.REDRIVE);
                    test.rooms.execute("UPDATE rowlock.waiting SET crashes = 2");
                }),
                new Move("cancel a ready one", "done", (test, job) -> {
                    test.release(job.claim());
                    new JobStatements(test.database).cancelIdle(job.id(), null);
                }),
                new Move("cancel a waiting one", "done", (test, job) -> {
                    test.rooms.defer(job.claim(), Due.after(Duration.ZERO));
                    new JobStatements(test.database).cancelIdle(job.id(), null);
                }),
                new Move("dispatch", "ready", (test, job) -> {
                    test.rooms.defer(job.claim(), Due.after(Duration.ZERO));
                    new DispatchDueJobs(test.database).run(10);
                }),
                new Move("dispatch by name", "ready", (test, job) -> {
                    test.rooms.defer(job.claim(), Due.after(Duration.ZERO));
                    new DispatchDueJobs(test.database).named(List.of(job.id()));
                }),
                new Move("claim again", "running", (test, job) -> {
                    test.release(job.claim());
                    test.claim();
                }),
                new Move("claim one without a key", "running", (test, job) -> {
                    test.release(job.claim());
                    test.claimWithoutKey(claim -> claim.run("letters", QueueRange.ALL, 1, test.rooms.node(), null));
                }),
                new Move("claim many without a key", "running", (test, job) -> {
                    test.release(job.claim());
                    test.claimWithoutKey(claim ->
                            claim.run("letters", QueueRange.ALL, ClaimReadyJobs.FEW + 1, test.rooms.node(), null));
                }),
                new Move("claim by name", "running", (test, job) -> {
                    test.release(job.claim());
                    test.claimWithoutKey(
                            claim -> claim.named("letters", List.of(job.id()), 0, test.rooms.node(), null));
                }),
                new Move("cancel by SQL", "done", (test, job) -> {
                    test.release(job.claim());
                    test.rooms
                            .sql("SELECT rowlock.cancel_idle(?)")
                            .param(job.id())
                            .query(Boolean.class)
                            .single();
                }));
    }

    private void bulk(BulkAction.Kind kind) {
        new BulkActionStatements(database)
                .create(TransactionStanding.OUTSIDE, kind, JobFilter.all(), null, Actor.APPLICATION);
        new DoBulkBatch(database).run();
    }

    @ParameterizedTest
    @MethodSource("moves")
    void aMoveLosesNothingOfTheJob(Move move) {
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                                           queue, job_key, type, payload, headers, errors)
                VALUES (nextval('rowlock.job_id'), '2026-02-01', '2026-01-01', 77000, -4, 1, 2, 9,
                        'letters', '%s', 'send', '{"to": 1}', '{"trace": "x"}', '[{"type": "E", "message": "first"}]')
                """.formatted(KEY));
        assertThat(kept(rooms.number("SELECT id FROM rowlock.ready"), "ready"))
                .as("a column without a value: give it one above")
                .doesNotContain("null");
        String enqueued = kept(rooms.number("SELECT id FROM rowlock.ready"), "ready");
        ClaimedJob job = claim();
        Map<String, Object> before = rooms.look(job.id());
        String kept = kept(job.id(), "running");
        assertThat(kept).isEqualTo(enqueued);

        move.action().on(this, job);

        assertThat(rooms.roomsOf(job.id())).containsExactly(move.to());
        int crash = List.of("rescue", "quarantine", "rescue a cancelled one").contains(move.name()) ? 1 : 0;
        assertThat(kept(job.id(), move.to())).isEqualTo(kept.replace("\"crashes\": 2", "\"crashes\": " + (2 + crash)));
        assertThat(before).containsEntry("attempt", 2);
        if (move.name().contains("cancel")) {
            assertThat(rooms.look(job.id())).containsEntry("state", "cancelled");
        }
    }

    /** By the statement for jobs with keys. */
    private ClaimedJob claim() {
        return new ClaimKeyedJobs(database, Duration.ofSeconds(5))
                .run("letters", Look.FIRST, 1, 1_000, Which.ALL, rooms.node(), null)
                .batch()
                .jobs()
                .get(0);
    }

    /** By those for jobs without. */
    private void claimWithoutKey(Consumer<ClaimReadyJobs> claim) {
        rooms.execute("UPDATE rowlock.ready SET job_key = NULL");
        claim.accept(new ClaimReadyJobs(database));
        rooms.execute("UPDATE rowlock.running SET job_key = '" + KEY + "'");
    }

    private String kept(long id, String room) {
        return rooms.sql(KEPT.formatted(Room.JOB, room))
                .param(id)
                .query(String.class)
                .single();
    }

    private void askToCancel(ClaimedJob job) {
        new JobStatements(database).requestCancel(job.id(), null);
    }

    private void release(Claim claim) {
        new OutcomeStatements(database, true).release(List.of(claim));
    }

    private void rescue(int maxCrashes) {
        rooms.execute("DELETE FROM rowlock.node");
        new RescueJobs(database).run(maxCrashes, RescueJobs.LIMIT);
    }

    private void strand() {
        ReleaseStrandedJobs stranded = new ReleaseStrandedJobs(database);
        stranded.run(
                rooms.number("SELECT node_id FROM rowlock.running"),
                stranded.lastToken(),
                new long[0],
                ReleaseStrandedJobs.LIMIT);
    }

    private void take(ClaimedJob job, int retries) {
        rooms.execute("UPDATE rowlock.running SET max_retries = " + retries);
        new OverdueStatements(database).take(List.of(OverdueClaim.alone(job.claim())), 0, Duration.ZERO);
        rooms.execute("UPDATE rowlock.waiting SET max_retries = 9");
        rooms.execute("UPDATE rowlock.dead SET max_retries = 9");
        rooms.execute("UPDATE rowlock.done SET max_retries = 9");
    }
}
