package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LookOrderTest {

    private static final long NOW = Long.MAX_VALUE - 10; // nanoTime may overflow
    private static final long SECOND = 1_000_000_000;

    private final LookOrder order = new LookOrder(2);

    @Test
    void theLongestDueAreLookedAtFirst() {
        planned(1, NOW - 1);
        Wait second = planned(2, NOW - 3);
        planned(3, NOW - 2);
        planned(4, NOW + SECOND);

        assertThat(next(NOW)).containsExactly(2L, 3L);
        order.plan(second, NOW + SECOND);
        assertThat(next(NOW)).containsExactly(3L, 1L);
    }

    @Test
    void whatIsDueSoonIsAskedForWithWhatIsDue() {
        planned(1, NOW + LookOrder.TOGETHER);
        assertThat(order.left(NOW)).isEqualTo(LookOrder.TOGETHER);

        planned(2, NOW);

        assertThat(order.left(NOW)).isZero();
        assertThat(next(NOW)).containsExactly(2L, 1L);
    }

    @Test
    void thoseWithNewsComeBeforeThoseThatAreDue() {
        IntStream.rangeClosed(1, 4).forEach(id -> planned(id, NOW - SECOND));
        Wait heard = planned(9, NOW + SECOND);

        order.hear(heard);

        assertThat(next(NOW)).containsExactly(9L);
    }

    @Test
    void howeverManyHaveNewsThoseThatAreDueHaveEveryOtherLook() {
        planned(1, NOW - SECOND);
        IntStream.rangeClosed(2, 9).mapToObj(id -> planned(id, NOW)).forEach(order::hear);

        assertThat(next(NOW)).containsExactly(2L, 3L);
        assertThat(next(NOW)).containsExactly(1L);
        assertThat(next(NOW)).containsExactly(2L, 3L);
    }

    @Test
    void whoeverIsHeardOfAgainAndAgainPassesNobodyOver() {
        Set<Long> seen = new HashSet<>();
        List<Wait> chatty =
                IntStream.rangeClosed(1, 6).mapToObj(id -> planned(id, NOW)).toList();
        chatty.forEach(order::hear);

        for (int look = 0; look < 3; look++) {
            List<Wait> next = order.next(NOW);
            next.forEach(wait -> seen.add(wait.id()));
            next.forEach(order::hear);
            next.forEach(wait -> order.again(wait, NOW));
        }

        assertThat(seen).hasSize(6);
    }

    @Test
    void whoeverWaitsForTheSameJobDoesNotCostItItsPlace() {
        Wait first = planned(1, NOW - 2);
        planned(2, NOW - 1);
        planned(3, NOW - 1);
        Wait later = planned(4, NOW + SECOND);

        order.hurry(first, NOW);
        order.hurry(later, NOW);

        assertThat(next(NOW)).containsExactly(1L, 2L);
        order.remove(first);
        assertThat(next(NOW)).containsExactly(2L, 3L);
        assertThat(later.nextLook()).isEqualTo(NOW);
    }

    @Test
    void whoeverIsLookedAtOnceMoreComesAfterAllThatAreDue() {
        Wait first = planned(1, NOW - 3);
        planned(2, NOW - 2);
        planned(3, NOW - 1);

        order.again(first, NOW);

        assertThat(next(NOW)).containsExactly(2L, 3L);
    }

    @Test
    void whoeverHasNewsAndIsLookedAtOnceMoreComesAfterAllOthersWithNews() {
        List<Wait> heard =
                IntStream.rangeClosed(1, 3).mapToObj(id -> planned(id, NOW)).toList();
        heard.forEach(order::hear);

        order.again(heard.get(0), NOW);

        assertThat(next(NOW)).containsExactly(2L, 3L);
        order.remove(heard.get(1));
        order.remove(heard.get(2));
        assertThat(next(NOW)).containsExactly(1L);
    }

    @Test
    void nothingIsLeftOfThoseThatHaveGone() {
        Wait due = planned(1, NOW);
        Wait heard = planned(2, NOW + SECOND);
        order.hear(heard);

        order.remove(due);
        order.remove(heard);

        assertThat(order.left(NOW)).isEqualTo(Long.MAX_VALUE);
        assertThat(next(NOW)).isEmpty();
    }

    private Wait planned(long id, long when) {
        Wait wait = new Wait(id, NOW, 0);
        order.plan(wait, when);
        return wait;
    }

    private List<Long> next(long now) {
        return order.next(now).stream().map(Wait::id).toList();
    }
}
