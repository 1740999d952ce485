package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

/** A workflow is cancelled on a node that has had no word of it, as while it starts. */
@PostgresTest(migrated = true)
class CancelledWorkflowsTest {

    private final Rooms rooms;
    private final Chore chore;

    CancelledWorkflowsTest(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        this.chore = new WorkflowFeature(rooms.database(), new WakeupBus(Wakeups.NONE))
                .chores(new TestOwnNode(1)).stream()
                        .filter(one -> one.name().equals("large workflows"))
                        .findAny()
                        .orElseThrow();
    }

    @Test
    void itIsFoundWithoutWordOfItAndWhileItsJobsRunItIsLookedAtEachSecond() {
        long running = rooms.running().id();
        long ready = rooms.ready();
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state) VALUES (7, 'w', 'cancelling')");
        rooms.execute("INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)"
                + " VALUES (7, 0, 'first', 'released', false)");
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (%d, 7, 0), (%d, 7, 0)"
                .formatted(ready, running));

        assertThat(chore.runOnce()).hasSeconds(1);

        assertThat(rooms.roomsOf(ready)).containsExactly("done");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE cancel_requested"))
                .isOne();
    }

    @Test
    void itIsLookedForWhenANodeBeginsToHearAndWhenSomebodyHasChangedSomething() {
        assertThat(chore.dueAfterConnect()).isTrue();
        assertThat(chore.dueAfterChange()).isTrue();
        assertThat(chore.runOnce()).hasSeconds(10);
    }
}
