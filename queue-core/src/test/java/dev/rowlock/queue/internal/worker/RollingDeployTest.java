package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest
class RollingDeployTest {

    record Known(String name) {}

    record New(String name) {}

    @Test
    void aJobOfANewTypeReachesTheNodeThatKnowsItAlthoughAnOldOneDispatches(TestDatabase database) {
        try (TestNode old = new TestNode(database);
                TestNode next = new TestNode(database)) {
            old.listener(Known.class, (context, payload) -> null).start();
            long id = old.jobs.enqueue(new New("first seen by the old node"));
            old.awaitEvent("unknown-type " + id);

            next.listener(Known.class, (context, payload) -> null)
                    .listener(New.class, (context, payload) -> null)
                    .start();

            next.awaitState(id, JobState.COMPLETED);
        }
    }
}
