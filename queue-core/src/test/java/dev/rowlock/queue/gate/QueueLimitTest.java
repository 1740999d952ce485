package dev.rowlock.queue.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueueLimitTest {

    /** It stands in the audit. */
    @Test
    void itSaysWhatIsSetAndNothingElse() {
        QueueLimit none = QueueLimit.of("mail");

        assertThat(none).hasToString("no limit");
        assertThat(none.maxRunning(5).inOrder(AfterFailure.HOLD)).hasToString("maxRunning=5, inOrder=HOLD");
        assertThat(none.shareBy(ShareBy.RUN_TIME)).hasToString("shareBy=RUN_TIME");
    }
}
