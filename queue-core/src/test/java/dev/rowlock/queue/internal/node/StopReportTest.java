package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StopReportTest {

    @Test
    void aStopWithoutTroubleSaysThatEverythingIsWritten() {
        assertThat(WorkerNode.stopReport(0, 0)).isEqualTo(", everything is written");
    }

    @Test
    void troubleIsCounted() {
        assertThat(WorkerNode.stopReport(1, 0)).isEqualTo(", everything is written; 1 handler had to be interrupted");
        assertThat(WorkerNode.stopReport(0, 1)).isEqualTo("; 1 outcome could not be written");
        assertThat(WorkerNode.stopReport(3, 2))
                .isEqualTo("; 3 handlers had to be interrupted; 2 outcomes could not be written");
    }
}
