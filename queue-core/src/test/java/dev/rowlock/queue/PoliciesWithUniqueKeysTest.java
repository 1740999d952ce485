package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs of a queue with a policy that have a unique key, over two nodes. */
class PoliciesWithUniqueKeysTest extends PolicyNodes {

    PoliciesWithUniqueKeysTest(TestDatabase database) {
        super(database);
    }

    @Test
    void aHeldJobHoldsItsUniqueKeyAndIsReplacedWhereItIs() {
        start();
        UniqueKey key = UniqueKey.of("k").untilStarted().replacing();
        EnqueueResult old = first.jobs().enqueueUnique(new Task("old"), key);
        awaitHeld(old.id());
        long other = held(new Task("other"));

        EnqueueResult kept = second.jobs().enqueueUnique(new Task("old"), UniqueKey.of("k"));
        EnqueueResult replaced = second.jobs().enqueueUnique(new Task("new"), key);

        assertThat(kept).isEqualTo(new EnqueueResult(old.id(), Enqueued.KEPT));
        assertThat(replaced).isEqualTo(new EnqueueResult(old.id(), Enqueued.REPLACED));
        shown.clear();
        await().atMost(LONG).until(() -> shown.keySet().equals(Set.of(old.id(), other)));
        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.size() == 2);
        assertThat(ran).containsExactlyInAnyOrder("new", "other");
    }

    @Test
    void aJobThatIsDueAndHeldIsNotPostponedAnyMoreAndKeepsItsPlace() {
        start();
        UniqueKey key = UniqueKey.of("k").postponing(Duration.ofHours(1));
        EnqueueResult due = first.jobs().enqueueUnique(new Task("He"), key, o -> o.delay(Duration.ofMillis(1)));
        awaitHeld(due.id());
        WaitingJob before = shown.get(due.id());
        shown.clear();

        EnqueueResult again = second.jobs().enqueueUnique(new Task("Hello"), key, o -> o.delay(Duration.ofMinutes(10)));

        assertThat(again).isEqualTo(new EnqueueResult(due.id(), Enqueued.REPLACED));
        await().atMost(LONG).until(() -> shown.containsKey(due.id()));
        assertThat(shown.get(due.id()).readyAt()).isEqualTo(before.readyAt());
        chooses = job -> true;
        await().atMost(LONG).until(() -> !ran.isEmpty());
        assertThat(ran).containsExactly("Hello");
    }

    @Test
    void aHeldJobThatMovesToAnotherQueueNeedsNoPolicyAnyMore() {
        start();
        UniqueKey key = UniqueKey.of("k").replacing();
        long id = first.jobs().enqueueUnique(new Task("moves"), key).id();
        awaitHeld(id);

        first.jobs().enqueueUnique(new Task("moves"), key, o -> o.queue("elsewhere"));

        await().atMost(LONG)
                .until(() -> first.search().find(id).orElseThrow().queue().equals("elsewhere"));
        await().atMost(LONG)
                .until(() -> jdbc.sql("SELECT count(*) FROM rowlock.held_job")
                                .query(Integer.class)
                                .single()
                        == 0);
        await().atMost(LONG).until(() -> ran.contains("moves"));
        assertThat(shown).containsOnlyKeys(id);
    }

    @Test
    void aJobThatRunsOnceMoreIsOfferedAfterTheFirst() {
        start();
        UniqueKey key = UniqueKey.of("k").onceMore();
        long id = first.jobs().enqueueUnique(new Task("second time"), key).id();
        awaitHeld(id);
        chooses = job -> job.id() == id;
        await().atMost(LONG).until(() -> first.search().find(id).orElseThrow().attempt() == 1);
        long more = first.jobs().enqueueUnique(new Task("once more"), key).id();
        assertThat(more).isNotEqualTo(id);

        awaitHeld(more);

        assertThat(state(id)).isEqualTo(JobState.COMPLETED);
        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.size() == 2);
        assertThat(ran).containsExactly("second time", "once more");
    }

    @Test
    void aHeldJobThatIsCancelledGivesItsKeyBack() {
        start();
        UniqueKey key = UniqueKey.of("k");
        long id = first.jobs().enqueueUnique(new Task("first"), key).id();
        awaitHeld(id);

        first.admin().cancel(id);
        EnqueueResult next = first.jobs().enqueueUnique(new Task("next"), key);

        assertThat(next.what()).isEqualTo(Enqueued.CREATED);
        chooses = job -> true;
        await().atMost(LONG).until(() -> ran.contains("next"));
        assertThat(ran).containsExactly("next");
    }
}
