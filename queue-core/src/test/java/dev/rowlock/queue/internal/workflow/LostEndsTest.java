package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LostEndsTest {

    @Test
    void whenJobsOfADeadNodeAreTakenBackSomebodyLooksForEndsThatItHasToldNobody() {
        WorkflowEnds ended = new WorkflowEnds();
        AtomicInteger runs = new AtomicInteger();
        ended.triggers(runs::incrementAndGet);
        assertThat(ended.takeRescued()).isFalse();

        ended.observer().rescued(3, 0);

        assertThat(runs).hasValue(1);
        assertThat(ended.takeRescued()).isTrue();
        assertThat(ended.takeRescued()).isFalse();
    }
}
