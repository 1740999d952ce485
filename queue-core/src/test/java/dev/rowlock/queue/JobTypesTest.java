package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class JobTypesTest {

    record SendMail(String to) {}

    @JobType(value = "send-mail", queue = "mail")
    record Renamed(String to) {}

    @JobType("no good")
    record Unusable(String to) {}

    @Test
    void aTypeIsTheSimpleNameOrWhatItsAnnotationSays() {
        assertThat(JobTypes.typeOf(SendMail.class)).isEqualTo("SendMail");
        assertThat(JobTypes.declaredQueueOf(SendMail.class)).isNull();
        assertThat(JobTypes.typeOf(Renamed.class)).isEqualTo("send-mail");
        assertThat(JobTypes.declaredQueueOf(Renamed.class)).isEqualTo("mail");
    }

    @Test
    void aPayloadThatNoListenerCouldTakeIsRefusedWhereItIsEnqueued() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(String.class))
                .withMessageContaining("record of your own");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(Map.of().getClass()))
                .withMessageContaining("record of your own");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(Unusable.class))
                .withMessageContaining("@JobType");
    }
}
