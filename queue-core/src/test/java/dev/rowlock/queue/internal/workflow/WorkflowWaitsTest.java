package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.workflow.StoredWorkflows.EndFutures;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.WorkflowState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A workflow has ended, is redriven, and runs again before anybody has read what became of it. */
@PostgresTest(migrated = true)
class WorkflowWaitsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Rooms rooms;
    private final Deque<String> states = new ArrayDeque<>(List.of("running", "running", "completed"));
    private final WorkflowWaits waits;

    WorkflowWaitsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state, ended_at) VALUES (77, 'w', 'failed', now())");
        EndFutures ends = new EndFutures() {
            @Override
            public CompletableFuture<?> await(long workflow) {
                String next = states.remove();
                rooms.execute("UPDATE rowlock.workflow SET state = '%s', ended_at = %s"
                        .formatted(next, next.equals("running") ? "NULL" : "now()"));
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void leave(long workflow, CompletableFuture<?> end) {}
        };
        waits = new WorkflowWaits(rooms.database(), new ReadWorkflows(rooms.database()), ends);
    }

    @Test
    void awaitWaitsAgain() throws Exception {
        assertThat(waits.await(77, LONG).summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(states).isEmpty();
    }

    @Test
    void aFutureWaitsAgain() throws Exception {
        assertThat(waits.future(77, LONG).get(20, TimeUnit.SECONDS).summary().state())
                .isEqualTo(WorkflowState.COMPLETED);
        assertThat(states).isEmpty();
    }
}
