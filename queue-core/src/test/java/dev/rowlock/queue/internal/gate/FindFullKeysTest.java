package dev.rowlock.queue.internal.gate;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class FindFullKeysTest {

    private final Rooms rooms;
    private final LimitStatements find;

    FindFullKeysTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        find = new LimitStatements(rooms.database());
    }

    @Test
    void keysAreFullWhoseLimitIsReachedWhileJobsAreReady() {
        limit(QueueLimit.of(QUEUE).maxRunningPerKey(2));
        enqueue("busy", 5);
        enqueue("busier", 9);
        enqueue("exactly", 2);
        enqueue("below", 1);
        claim();

        assertThat(find.fullKeys(QUEUE, 10))
                .containsExactly(new FullKey(QUEUE, "busier", 2, 2, 7), new FullKey(QUEUE, "busy", 2, 2, 3));
        assertThat(find.fullKeys(QUEUE, 1)).extracting(FullKey::key).containsExactly("busier");
        assertThat(find.fullKeys("other", 10)).isEmpty();
    }

    @Test
    void keysInOrderHaveRoomForOne() {
        limit(QueueLimit.of(QUEUE).inOrder(AfterFailure.HOLD));
        enqueue("account", 3);
        claim();

        assertThat(find.fullKeys(QUEUE, 10)).containsExactly(new FullKey(QUEUE, "account", 1, 1, 2));
    }

    @Test
    void noKeyIsFullWhereOnlyTheQueueIsLimited() {
        limit(QueueLimit.of(QUEUE).maxRunning(1));
        enqueue("tenant", 3);
        claim();

        assertThat(find.fullKeys(QUEUE, 10)).isEmpty();
    }

    private void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(QUEUE));
    }

    private void enqueue(String key, int jobs) {
        rooms.ready(jobs);
        rooms.execute("UPDATE rowlock.ready SET job_key = '%s' WHERE job_key IS NULL".formatted(key));
    }

    private void claim() {
        new ClaimKeyedJobs(rooms.database(), Duration.ZERO)
                .run(QUEUE, Look.FIRST, 100, 0, Which.ALL, rooms.node(), null);
    }
}
