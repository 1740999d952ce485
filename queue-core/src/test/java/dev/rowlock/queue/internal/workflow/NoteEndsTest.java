package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.workflow.FindSteps.JobPosition;
import dev.rowlock.queue.internal.workflow.FindSteps.Unended;
import dev.rowlock.queue.internal.workflow.MoveSteps.MovedStep;
import dev.rowlock.queue.internal.workflow.NoteEnds.Noted;
import dev.rowlock.queue.internal.workflow.NoteEnds.Released;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A step that waits for one job only runs in the statement that notes the end of this job, unless there is more to be decided. */
@PostgresTest(freshPerTest = true, migrated = true)
class NoteEndsTest {

    private static final StepKey FIRST = new StepKey(7, 0);
    private static final StepKey SECOND = new StepKey(7, 1);
    private static final StepKey THIRD = new StepKey(7, 2);

    private final Rooms rooms;
    private final NoteEnds note;

    /** Job 1 has completed; jobs 2 and 3 wait for it, and job 4, in steps of their own: 1 (2 and 3) and 2 (4). */
    NoteEndsTest(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        this.note = new NoteEnds(rooms.database());
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (7, 'w')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                VALUES (7, 0, 'first', 'released', false), (7, 1, 'second', 'waiting', false), (7, 2, 'third', 'waiting', false)
                """);
        rooms.execute("INSERT INTO rowlock.workflow_edge VALUES (7, 0, 1, 'success'), (7, 0, 2, 'success')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, next_steps)
                VALUES (1, 7, 0, '{1, 2}'), (2, 7, 1, NULL), (3, 7, 1, NULL), (4, 7, 2, NULL)
                """);
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, max_retries, reason, queue, type, payload)
                SELECT n, '2255-01-01', now(), n - 3, 0, 0, 0, 'parents', 'q', 't', '{}' FROM generate_series(2, 4) AS n
                """);
        done(1, "completed");
    }

    private void done(long job, String state) {
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                VALUES (%d, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), '%s')
                """.formatted(job, state));
    }

    private Noted heard() {
        return note.andRelease(List.of(1L), 20);
    }

    private List<Long> ready() {
        return rooms.sql("SELECT id FROM rowlock.ready ORDER BY id")
                .query(Long.class)
                .list();
    }

    private String states() {
        return rooms.sql("SELECT string_agg(state, ' ' ORDER BY step_no) FROM rowlock.workflow_step")
                .query(String.class)
                .single();
    }

    /** Whoever decides afterwards finds it as if nobody had looked. */
    private void assertThatOnlyTheThirdStepRuns(Noted heard, String states) {
        assertThat(ready()).containsExactly(4L);
        assertThat(states()).isEqualTo(states);
        assertThat(heard.steps()).containsExactly(new Touched(FIRST, false, false));
        assertThat(heard.released().steps()).containsExactly(new MovedStep(THIRD, false));
    }

    @Test
    void jobsThatWaitForOneOnlyRunAtOnce() {
        Noted heard = heard();

        assertThat(ready()).containsExactly(2L, 3L, 4L);
        assertThat(states()).isEqualTo("released released released");
        assertThat(heard.steps()).as("nothing is left to be decided").isEmpty();
        assertThat(heard.released().steps())
                .containsExactlyInAnyOrder(new MovedStep(SECOND, false), new MovedStep(THIRD, false));
        assertThat(heard.released().moving()).isEmpty();
        assertThat(heard.released().ready()).containsExactly(new ReadyJobs("q", -1, 3, List.of()));
    }

    @Test
    void whoHearsLaterFindsNothingToDo() {
        heard();

        Noted again = heard();

        assertThat(again.steps()).isEmpty();
        assertThat(again.released()).isEqualTo(new Released());
        assertThat(ready()).hasSize(3);
    }

    private void assertNothingRuns() {
        Noted heard = heard();

        assertThat(ready()).isEmpty();
        assertThat(heard.released()).isEqualTo(new Released());
        assertThat(heard.steps()).extracting(Touched::step).containsExactly(FIRST);
    }

    @Test
    void nothingRunsAfterAJobThatWasCancelled() {
        rooms.execute("UPDATE rowlock.done SET state = 'cancelled'");
        assertNothingRuns();
    }

    /** A running job adds others to its own step. */
    @Test
    void nothingRunsAfterOneOfTwoJobsOfAStep() {
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (9, 7, 0)");
        assertNothingRuns();
    }

    /** Somebody has let the job run before its step was released, which may be skipped yet. */
    @Test
    void nothingRunsAfterAJobThatRanBeforeItsTurn() {
        rooms.execute("UPDATE rowlock.workflow_step SET state = 'waiting' WHERE step_no = 0");
        assertNothingRuns();
    }

    @Test
    void nothingRunsInAWorkflowThatIsBeingCancelled() {
        rooms.execute("UPDATE rowlock.workflow SET state = 'cancelling'");
        assertNothingRuns();
    }

    @Test
    void aStepThatWasSkippedMeanwhileIsLeftToThoseWhoDecide() {
        rooms.execute("UPDATE rowlock.workflow_step SET state = 'skipped' WHERE step_no = 1");
        assertThatOnlyTheThirdStepRuns(heard(), "released skipped released");
    }

    /** That job may be adding others to its step, of which nobody knows yet. */
    @Test
    void aStepOfWhichAJobRunsAlreadyIsLeftToThoseWhoDecide() {
        rooms.execute("DELETE FROM rowlock.waiting WHERE id = 2");
        assertThatOnlyTheThirdStepRuns(heard(), "released waiting released");
    }

    @Test
    void aStepThatSomebodyHasLockedIsLeftToThoseWhoDecide() throws Exception {
        try (OpenTransaction somebody = new OpenTransaction(rooms.database())) {
            new Rooms(somebody.database())
                    .execute("UPDATE rowlock.workflow_step SET accepts = accepts WHERE step_no = 1");
            assertThatOnlyTheThirdStepRuns(heard(), "released waiting released");
        }
    }

    @Test
    void aStepOfWhichSomebodyHasLockedAJobIsLeftToThoseWhoDecide() throws Exception {
        try (OpenTransaction somebody = new OpenTransaction(rooms.database())) {
            new Rooms(somebody.database()).execute("UPDATE rowlock.waiting SET rank = 9 WHERE id = 3");
            assertThatOnlyTheThirdStepRuns(heard(), "released waiting released");
        }
    }

    /** Between the statement's snapshot and its look at the steps behind the job. */
    private Noted heardWhile(String... changes) throws Exception {
        rooms.execute("""
                CREATE FUNCTION rowlock.a_moment() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_advisory_xact_lock(4711);
                    RETURN new;
                END $$
                """);
        rooms.execute(
                "CREATE TRIGGER a_moment BEFORE UPDATE ON rowlock.workflow_job FOR EACH ROW EXECUTE FUNCTION rowlock.a_moment()");
        CompletableFuture<Noted> heard;
        try (OpenTransaction somebody = new OpenTransaction(rooms.database())) {
            new Rooms(somebody.database())
                    .sql("SELECT pg_advisory_xact_lock(4711)::text")
                    .query(String.class)
                    .single();
            heard = CompletableFuture.supplyAsync(() -> note.andRelease(List.of(1L), 20));
            await().until(this::somebodyWaits);
            for (String change : changes) {
                rooms.execute(change);
            }
        }
        return heard.get(20, TimeUnit.SECONDS);
    }

    private boolean somebodyWaits() {
        return rooms.sql(
                        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted)")
                .query(Boolean.class)
                .single();
    }

    @Test
    void aStepThatIsSkippedInThisMomentIsLeftToThoseWhoDecide() throws Exception {
        Noted heard = heardWhile("UPDATE rowlock.workflow_step SET state = 'skipping' WHERE step_no = 1");

        assertThatOnlyTheThirdStepRuns(heard, "released skipping released");
    }

    @Test
    void aStepOfWhichAJobIsTakenInThisMomentIsLeftToThoseWhoDecide() throws Exception {
        Noted heard = heardWhile("DELETE FROM rowlock.waiting WHERE id = 2");

        assertThatOnlyTheThirdStepRuns(heard, "released waiting released");
    }

    @Test
    void aJobThatIsChangedInThisMomentIsMovedAfterwards() throws Exception {
        Noted heard = heardWhile("UPDATE rowlock.waiting SET rank = 9 WHERE id = 2");

        assertThat(ready()).containsExactly(3L, 4L);
        assertThat(states()).isEqualTo("released releasing released");
        assertThat(heard.released().steps()).containsExactly(new MovedStep(THIRD, false));
        assertThat(heard.released().moving()).containsExactly(SECOND);
    }

    @Test
    void aStepOfManyJobsIsLeftToThoseWhoDecide() {
        assertThatOnlyTheThirdStepRuns(note.andRelease(List.of(1L), 2), "released waiting released");
    }

    /** Jobs are looked for first among those of this moment. Somebody may hear late, or the clock may be set meanwhile. */
    @Test
    void aJobHasCompletedWheneverThatWas() {
        rooms.execute("UPDATE rowlock.done SET finished_at = now() + interval '20 minutes'");

        assertThat(heard().released().steps()).extracting(MovedStep::key).containsExactlyInAnyOrder(SECOND, THIRD);
    }

    /** The sweep finds jobs of whose end nobody has heard. */
    @Test
    void aWalkThroughJobsGoesOnBehindAStretchOfCompletedOnes() {
        rooms.execute("UPDATE rowlock.workflow_job SET state = 2 WHERE job_id < 4");
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (8, 'later')");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (10, 8, 0)");
        FindSteps find = new FindSteps(rooms.database());
        List<Long> found = new ArrayList<>();

        JobPosition place = JobPosition.FRONT;
        for (int looks = 0; place != null && looks < 20; looks++) {
            Unended open = find.open(place, 2);
            found.addAll(open.ids());
            place = open.end();
        }

        assertThat(place).as("it came to the end").isNull();
        assertThat(found).containsExactly(4L, 10L);
    }

    /** As after their workflows' dead jobs were discarded: each look at an old day costs as much as one at all of its jobs. */
    @Test
    void manyJobsThatAreInNoRoomAreLookedForInOldDaysByOneCall() {
        rooms.execute("CREATE SEQUENCE public.calls");
        rooms.execute("ALTER FUNCTION rowlock.done_jobs(bigint[]) RENAME TO all_done_jobs");
        rooms.execute("""
                CREATE FUNCTION rowlock.done_jobs(ids bigint[]) RETURNS SETOF rowlock.done LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM nextval('public.calls');
                    RETURN QUERY SELECT * FROM rowlock.all_done_jobs(ids);
                END $$
                """);
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) SELECT n, 7, 0 FROM generate_series(101, 300) AS n");
        List<Long> gone = LongStream.rangeClosed(101, 300).boxed().toList();

        heard();
        assertThat(calls()).as("one that was done a moment ago").isZero();
        note.andRelease(gone, 20);
        assertThat(calls()).isOne();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.workflow_job WHERE state = 1"))
                .isEqualTo(200);
    }

    private long calls() {
        return rooms.number("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.calls");
    }
}
