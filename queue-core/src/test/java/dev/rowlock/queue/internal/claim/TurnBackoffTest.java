package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.TurnBackoff.Wait;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnBackoffTest {

    private final TurnBackoff outOfTurn = new TurnBackoff();

    @Test
    void theMoreNodesWaitTheLongerEachWaits() {
        assertThat(outOfTurn.next(3, 0.5).sure()).isEqualTo(Duration.ofMillis(9));
        assertThat(outOfTurn.next(50, 0.5).sure()).isEqualTo(Duration.ofMillis(150));
    }

    @Test
    void aNodeRefusedRepeatedlyWaitsLongerAndMayBeCalledEarlier() {
        assertThat(sixRefusals())
                .extracting(wait -> wait.sure().plus(wait.more()).toMillis())
                .containsExactly(300L, 600L, 1_200L, 2_400L, 4_800L, 4_800L);
        assertThat(outOfTurn.next(50, 1).sure()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void aTurnResetsTheWait() {
        sixRefusals();

        outOfTurn.over();

        assertThat(outOfTurn.next(50, 1)).isEqualTo(new Wait(Duration.ofMillis(300), Duration.ZERO));
    }

    private List<Wait> sixRefusals() {
        return IntStream.range(0, 6).mapToObj(i -> outOfTurn.next(50, 1)).toList();
    }
}
