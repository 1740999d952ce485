package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimedRow;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.workflow.WorkflowFeature.WorkflowEnds;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LostEndsTest {

    @Test
    void whenJobsOfADeadNodeAreTakenBackSomebodyLooksForEndsThatItHasToldNobody() {
        WorkflowEnds ended = new WorkflowEnds();
        AtomicInteger runs = new AtomicInteger();
        ended.triggers(runs::incrementAndGet);
        assertThat(ended.takeMissed()).isFalse();

        ended.observer().rescued(3, 0);

        assertThat(runs).hasValue(1);
        assertThat(ended.takeMissed()).isTrue();
        assertThat(ended.takeMissed()).isFalse();
    }

    /** As while the tables of workflows are locked. */
    @Test
    void whenMoreJobsEndThanANodeRemembersSomebodyLooksForTheOthers() {
        WorkflowEnds ended = new WorkflowEnds();
        JobObserver observer = ended.observer();
        ClaimedJob job = new ClaimedRow(
                new Claim(1, 1),
                "mail",
                "send",
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH,
                "{}",
                Headers.inWorkflow(null, 7),
                null,
                null,
                null,
                null,
                false);
        Outcome completed = new Outcome.Completed(null);
        for (int i = 0; i < 100_000; i++) {
            observer.finished(job, completed, Duration.ZERO);
        }
        assertThat(ended.takeMissed()).isFalse();

        observer.finished(job, completed, Duration.ZERO);

        assertThat(ended.takeMissed()).isTrue();
    }
}
