package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.workflow.MarkEndedJobs.JobPosition;
import dev.rowlock.queue.internal.workflow.MarkEndedJobs.Marked;
import dev.rowlock.queue.internal.workflow.MarkEndedJobs.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
class MarkEndedJobsTest {

    private static final StepKey STEP = new StepKey(7, 0);

    private final Rooms rooms;
    private final MarkEndedJobs mark;

    MarkEndedJobsTest(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        this.mark = new MarkEndedJobs(rooms.database());
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (7, 'w'), (8, 'later')");
    }

    /** Walks through all, so many jobs at a time. */
    private List<Touched> walk(int limit) {
        List<Touched> touched = new ArrayList<>();
        JobPosition place = JobPosition.FRONT;
        for (int looks = 0; place != null && looks < 20; looks++) {
            Marked marked = mark.stretch(place, limit);
            touched.addAll(marked.steps());
            place = marked.end();
        }
        assertThat(place).as("it came to the end").isNull();
        return touched;
    }

    @Test
    void aWalkGoesOnBehindAStretchOfCompletedJobs() {
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, state) SELECT n, 7, 0, 2 FROM generate_series(1, 5) AS n");
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (6, 7, 0), (9, 7, 1), (10, 8, 0)");
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                SELECT n, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed' FROM unnest(ARRAY[6, 10]) AS n
                """);
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, max_retries, reason, queue, type, payload)
                VALUES (9, '2255-01-01', now(), 0, 0, 0, 0, 'parents', 'q', 't', '{}')
                """);

        List<Touched> touched = walk(2);

        assertThat(touched)
                .containsExactly(new Touched(STEP, false, false), new Touched(new StepKey(8, 0), false, false));
        assertThat(walk(2)).isEmpty();
    }

    /** Jobs are looked for first among those of this moment. Somebody may hear late, or the clock may be set meanwhile. */
    @Test
    void aJobHasCompletedWheneverThatWas() {
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (1, 7, 0), (2, 8, 0)");
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                VALUES (1, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed'),
                       (2, now(), 0, 1, 0, 0, 'q', 't', '{}', now() + interval '20 minutes', 'completed')
                """);

        assertThat(mark.heard(List.of(1L, 2L)))
                .containsExactlyInAnyOrder(
                        new Touched(STEP, false, false), new Touched(new StepKey(8, 0), false, false));
    }
}
