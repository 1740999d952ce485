package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs of a queue with a policy that wait for something else as well, over two nodes. */
class PoliciesWithOtherFeaturesTest extends PolicyNodes {

    PoliciesWithOtherFeaturesTest(TestDatabase database) {
        super(database);
    }

    @Test
    void jobsOfAWorkflowAreNotOfferedBeforeTheirTurn() {
        start();
        long workflow = first.workflows()
                .start(Workflow.named("cake")
                        .step("bake", new Task("bake"))
                        .step("ice", new Task("ice"), s -> s.after("bake"))
                        .each("eat", List.of(new Task("eat"), new Task("eat")), s -> s.after("ice")));
        long bake = job(workflow, "bake");
        long ice = job(workflow, "ice");
        awaitHeld(bake);
        assertThat(shown).containsOnlyKeys(bake);

        chooses = job -> job.id() == bake;
        awaitHeld(ice);
        assertThat(ran).containsExactly("bake");
        assertThat(shown).containsOnlyKeys(bake, ice);

        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.size() == 4);
        assertThat(ran).containsExactly("bake", "ice", "eat", "eat");
    }

    @Test
    void whatIsSkippedBecauseAChosenJobFailsIsNeverOffered() {
        start();
        failing.add("bake");
        chooses = job -> true;
        long workflow = first.workflows()
                .start(Workflow.named("cake")
                        .step("bake", new Task("bake"))
                        .step("ice", new Task("ice"), s -> s.after("bake"))
                        .step("clean", new Task("clean"), s -> s.afterEnd("bake")));

        await().atMost(LONG).until(() -> ran.contains("clean"));

        assertThat(ran).containsExactly("clean");
        assertThat(shown).doesNotContainKey(job(workflow, "ice"));
    }

    private long job(long workflow, String step) {
        return first.workflows().jobs(workflow, step, Long.MIN_VALUE, 10).get(0).id();
    }

    @Test
    void inAPausedQueueNothingRunsWhateverThePolicyChooses() {
        first.admin().pause("default");
        chooses = job -> true;
        start();
        first.jobs().enqueue(new Task("one"));
        first.jobs().enqueue(new Task("two"));

        await().atMost(LONG)
                .until(() -> asked.get() > 3); // what it chooses is taken back after a second, and shown again
        assertThat(ran).isEmpty();
        first.admin().resume("default");

        await().atMost(LONG).until(() -> ran.size() == 2);
        assertThat(ran).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void jobsOfAPausedTypeAreNotOffered() {
        first.admin()
                .pauseType(first.search()
                        .find(first.jobs().enqueue(new Task("paused")))
                        .orElseThrow()
                        .type());
        chooses = job -> true;
        start();
        long other = jdbc.sql("SELECT rowlock.enqueue('nobodys', '{}')")
                .query(Long.class)
                .single();
        await().atMost(LONG).until(() -> shown.containsKey(other));
        assertThat(shown).containsOnlyKeys(other);
        assertThat(ran).isEmpty();

        first.admin().pauses().forEach(pause -> first.admin().resumeType(pause.name()));

        await().atMost(LONG).until(() -> ran.contains("paused"));
    }

    @Test
    void chosenJobsWaitWhileAllListenersArePausedAndRunThenOnce() {
        start();
        first.listener("tasks").pause();
        second.listener("tasks").pause();
        chooses = job -> true;
        for (int i = 0; i < 20; i++) {
            first.jobs().enqueue(new Task("task " + i));
        }
        // Chosen, and taken back after a second.
        await().atMost(LONG).until(() -> asked.get() > 0 && shown.size() == 20);
        assertThat(ran).isEmpty();

        first.listener("tasks").start();

        await().atMost(LONG).until(() -> ran.size() == 20);
        assertThat(ran).doesNotHaveDuplicates();
    }

    @Test
    void redrivenJobsAreOfferedAgain() {
        start();
        failing.add("one");
        failing.add("two");
        chooses = job -> true;
        long one = first.jobs().enqueue(new Task("one"));
        long two = first.jobs().enqueue(new Task("two"));
        await().atMost(LONG).until(() -> state(one) == JobState.DEAD && state(two) == JobState.DEAD);
        chooses = job -> false;
        shown.clear();
        failing.clear();

        first.admin().redrive(one);
        second.admin().redrive(JobFilter.where().states(JobState.DEAD));

        awaitHeld(one);
        awaitHeld(two);
        assertThat(ran).isEmpty();
        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.size() == 2);
        assertThat(ran).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void aRetryIsNotOfferedBeforeItIsDue() {
        start();
        long id = held(new Task("second time lucky"));
        chooses = job -> job.attempts() == 0;
        await().atMost(LONG).until(() -> shown.get(id).attempts() == 1);

        chooses = job -> true;
        await().atMost(LONG).until(() -> state(id) == JobState.COMPLETED);

        Instant failed = jdbc.sql("SELECT (errors -> 0 ->> 'at')::timestamptz FROM rowlock.done WHERE id = ?")
                .param(id)
                .query(java.sql.Timestamp.class)
                .single()
                .toInstant();
        assertThat(shown.get(id).readyAt()).isAfterOrEqualTo(failed.plusMillis(300));
    }

    @Test
    void aHeldJobThatIsRescheduledIsOfferedAtItsTimeAndRunNowOffersItAtOnce() {
        start();
        long id = held(new Task("later"));

        first.admin().reschedule(id, Duration.ofDays(1));
        held(new Task("between")); // the request that was under way may have shown it
        shown.clear();
        long mark = held(new Task("mark"));
        assertThat(shown).containsKey(mark).doesNotContainKey(id);
        assertThat(reasons(id)).doesNotContain(Kind.POLICY);

        first.admin().runNow(id);
        awaitHeld(id);
        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.size() == 3);
    }

    @Test
    void thePolicySeesThePriorityThatAHeldJobWasGivenAndItsNewPlace() {
        start();
        long low = held(new Task("low"));
        long raised = held(new Task("raised"));

        first.admin().changePriority(raised, 7);

        await().atMost(LONG).until(() -> shown.get(raised).priority() == 7);
        assertThat(jdbc.sql("SELECT job_id FROM rowlock.held_job ORDER BY queue, rank, ready_at, job_id")
                        .query(Long.class)
                        .list())
                .containsExactly(raised, low);
    }

    @Test
    void whatThePolicyChoosesKeepsToTheRate() {
        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(20).burst(3)));
        start();
        chooses = job -> true;
        IntStream.range(0, 60).forEach(i -> first.jobs().enqueue(new Task("task " + i)));

        await().atMost(LONG).until(() -> ran.size() == 60);

        assertThat(ran).doesNotHaveDuplicates();
        List<Double> claimed = jdbc.sql("SELECT extract(epoch FROM claimed_at) FROM rowlock.done ORDER BY 1")
                .query(Double.class)
                .list();
        for (int from = 0; from < claimed.size(); from++) {
            for (int to = from; to < claimed.size(); to++) {
                // The statement began a moment before it looked at the clock.
                assertThat(to - from + 1.0)
                        .isLessThanOrEqualTo(3 + 1 + 20 * (claimed.get(to) - claimed.get(from) + 0.02));
            }
        }
    }
}
