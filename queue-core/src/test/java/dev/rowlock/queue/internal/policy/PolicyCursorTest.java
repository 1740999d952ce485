package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyChore.PolicyCursor;
import dev.rowlock.queue.internal.policy.PolicyStatements.Page;
import dev.rowlock.queue.internal.policy.PolicyStatements.WaitingPosition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyCursorTest {

    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final WaitingPosition FIRST = new WaitingPosition(0, Instant.EPOCH, 41);

    private long now = 1_000_000_000_000L;
    private final PolicyCursor cursor = new PolicyCursor(now);

    @Test
    void quickLooksAreAllFromTheFront() {
        cursor.looked(WaitingPosition.FRONT, page(true), Duration.ofMillis(2), now);
        assertThat(cursor.begin(now)).isEqualTo(WaitingPosition.FRONT);

        cursor.looked(WaitingPosition.FRONT, page(false), Duration.ofMillis(2), now);
        assertThat(cursor.mayLook(now)).isTrue();
    }

    @Test
    void afterASlowOneTheOthersBeginAtTheFirstJobItHasFound() {
        cursor.looked(WaitingPosition.FRONT, page(true), SLOW, now);

        assertThat(cursor.begin(now)).isEqualTo(FIRST);
        cursor.looked(FIRST, page(false), Duration.ofMillis(1), now); // all are taken, others will come behind
        assertThat(cursor.mayLook(now)).isTrue();
        assertThat(cursor.begin(now)).isEqualTo(FIRST);
        now += SLOW.toNanos() * 9;
        assertThat(cursor.begin(now)).isEqualTo(WaitingPosition.FRONT);
    }

    @Test
    void whereASlowOneHasFoundNothingNobodyLooksForAWhile() {
        cursor.looked(WaitingPosition.FRONT, page(false), SLOW, now);

        assertThat(cursor.mayLook(now)).isFalse();
        now += SLOW.toNanos() * 9;
        assertThat(cursor.mayLook(now)).isTrue();
        assertThat(cursor.begin(now)).isEqualTo(WaitingPosition.FRONT);
    }

    private static Page page(boolean jobs) {
        WaitingJob job = new PolicyStatements.Candidate(42, "a", null, 0, 0, Instant.EPOCH, Instant.EPOCH, Map.of());
        return new Page(jobs ? List.of(job) : List.of(), jobs ? FIRST : WaitingPosition.FRONT, null, 0, Instant.EPOCH);
    }
}
