package dev.rowlock.queue.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueueLimitTest {

    /** It stands in the audit. */
    @Test
    void itSaysWhatIsSetAndNothingElse() {
        QueueLimit none = QueueLimit.of("mail");

        assertThat(none).hasToString("mail: no limit");
        assertThat(none.maxRunning(5).inOrder(AfterFailure.HOLD)).hasToString("mail: maxRunning=5, inOrder=hold");
        assertThat(none.ratePerKey(Rate.perSecond(5))).hasToString("mail: ratePerKey=5/s");
    }
}
