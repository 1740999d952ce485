package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class RollingDeployTest {

    private static final int JOBS = 20;

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

    /** Whoever enqueues or dispatches a job wakes itself before anybody else can hear of it. */
    @Test
    void jobsOfANewTypeMakeNoDetourAlthoughTheOldNodeIsTheFirstToBeWoken(TestDatabase database) {
        try (TestNode old = new TestNode(database);
                TestNode next = new TestNode(database)) {
            old.listener(Known.class, (context, payload) -> null).start();
            long met = old.jobs.enqueue(new New("met by the old node"));
            old.awaitEvent("unknown-type " + met);
            next.listener(New.class, (context, payload) -> null).start();
            next.awaitEvent("completed " + met);

            int detours = 0;
            for (int job = 0; job < JOBS; job++) {
                long id = old.jobs.enqueue(new New("woken " + job));
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(5))
                        .until(() ->
                                next.events.contains("completed " + id) || old.events.contains("unknown-type " + id));
                detours += old.events.contains("unknown-type " + id) ? 1 : 0;
            }

            // Without the old node's courtesy all of them; with it none, unless the machine stalls for that long.
            assertThat(detours).isLessThan(JOBS / 2);
        }
    }
}
