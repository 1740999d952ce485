package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.store.BeatNode.Place;
import dev.rowlock.queue.internal.store.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest
class StrandedClaimsIntervalTest {

    private final StrandedClaims chore;
    private int nodes = 1;

    StrandedClaimsIntervalTest(TestDatabase database) {
        Rooms rooms = Rooms.emptyIn(database);
        long id = rooms.node();
        OwnNode own = new OwnNode() {
            @Override
            public List<Heartbeat> silentNodes() {
                return List.of();
            }

            @Override
            public long nodeId() {
                return id;
            }

            @Override
            public Place place() {
                return new Place(nodes, 0);
            }

            @Override
            public boolean hearing() {
                return true;
            }

            @Override
            public long[] heldTokens() {
                return new long[0];
            }
        };
        chore = new StrandedClaims(new ReleaseStrandedJobs(rooms.database()), own, Wakeups.NONE);
    }

    @Test
    void theMoreNodesThereAreTheMoreRarelyEachLooks() {
        Duration alone = chore.runOnce();
        nodes = 50;
        Duration amongMany = chore.runOnce();

        assertThat(alone).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(499));
        assertThat(amongMany).isGreaterThanOrEqualTo(Duration.ofSeconds(500));
    }

    @Test
    void butSoonerAfterAClaimHasFailed() {
        nodes = 50;
        chore.claimFailed();

        assertThat(chore.runOnce()).isLessThan(Duration.ofSeconds(500));
    }
}
