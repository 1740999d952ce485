package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClaimBudgetTest {

    private final ClaimBudget budget = new ClaimBudget(1_000_000);

    @Test
    void theJobsOfAClaimShareItsBudget() {
        assertThat(budget.reserve(1_000)).isEqualTo(1_000);
        assertThat(budget.taken()).isEqualTo(1_000_000);
    }

    @Test
    void aSmallClaimReservesNoMoreThanTheLargestPayloadForEachJob() {
        assertThat(budget.reserve(2)).isEqualTo(ClaimReadyJobs.LARGEST_PAYLOAD);
    }

    @Test
    void claimsOfAllQueuesTogetherAreBounded() {
        int first = budget.reserve(10);
        int second = budget.reserve(100);
        int third = budget.reserve(100);

        assertThat(10L * first + 100L * second + 100L * third).isLessThanOrEqualTo(1_000_000);
        assertThat(third).isZero();
    }

    @Test
    void thePayloadsOfJobsCountUntilTheyAreGivenBack() {
        int each = budget.reserve(100);
        budget.take(400_000);
        budget.giveBack(100L * each);

        assertThat(budget.reserve(100)).isEqualTo(6_000);
        budget.giveBack(600_000);
        budget.giveBack(400_000);
        assertThat(budget.taken()).isZero();
    }

    @Test
    void aSmallHeapHasASmallerBudget() {
        assertThat(ClaimBudget.ofHeap(128 << 20).reserve(1_000)).isEqualTo((8 << 20) / 1_000);
    }
}
