package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class UnacknowledgedClaimsIntervalTest {

    private final UnacknowledgedClaims chore;
    private final TestOwnNode own;

    UnacknowledgedClaimsIntervalTest(TestDatabase database) {
        Rooms rooms = Rooms.emptyIn(database);
        own = new TestOwnNode(rooms.node());
        chore = new UnacknowledgedClaims(new ReleaseStrandedJobs(rooms.database()), own, Wakeups.NONE);
    }

    @Test
    void theMoreNodesThereAreTheMoreRarelyEachLooks() {
        Duration alone = chore.runOnce();
        own.nodes = 50;
        Duration amongMany = chore.runOnce();

        assertThat(alone).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(499));
        assertThat(amongMany).isGreaterThanOrEqualTo(Duration.ofSeconds(500));
    }

    @Test
    void aNodeLooksSoonerAfterAClaimHasFailed() {
        own.nodes = 50;
        chore.claimFailed();

        assertThat(chore.runOnce()).isLessThan(Duration.ofSeconds(500));
    }

    @Test
    void afterAClaimHasFailedASlowServerDoesNotPutTheNextLookOff() {
        Duration slow = Duration.ofMillis(500);

        assertThat(UnacknowledgedClaims.rest(slow, 6, true)).isEqualTo(UnacknowledgedClaims.AGE);
        assertThat(UnacknowledgedClaims.rest(slow, 6, false)).isEqualTo(Duration.ofMinutes(1));
        assertThat(UnacknowledgedClaims.rest(Duration.ofSeconds(5), 6, true)).isEqualTo(Duration.ofSeconds(20));
    }
}
