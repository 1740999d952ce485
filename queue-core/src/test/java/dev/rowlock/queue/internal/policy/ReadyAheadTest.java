package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.policy.PolicyChore.ReadyAhead;
import org.junit.jupiter.api.Test;

class ReadyAheadTest {

    private final ReadyAhead ahead = new ReadyAhead(4);

    @Test
    void asManyMayBeChosenAsThereAreThreads() {
        assertThat(ahead.room(0, 2)).isEqualTo(8);
        ahead.added(6);

        assertThat(ahead.room(6, 2)).isEqualTo(2);
    }

    @Test
    void moreMayBeChosenWhereNodesClaimMore() {
        ahead.room(0, 1);
        ahead.added(4);

        assertThat(ahead.room(0, 1)).isEqualTo(12);
    }

    /** A limit is full, or the queue is paused: the policy chooses, nobody claims, and what was chosen goes back to it. */
    @Test
    void whatGoesBackToThePolicyWasNotClaimed() {
        assertThat(ahead.room(0, 1)).isEqualTo(4);
        for (int round = 0; round < 10; round++) {
            ahead.added(4);
            assertThat(ahead.room(4, 1)).isZero();
            ahead.takenBack(4);

            assertThat(ahead.room(0, 1)).isEqualTo(4);
        }
    }
}
