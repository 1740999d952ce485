package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.spi.PayloadException;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private final Results results = new Results(TestNode.codec(), Encryption.NONE, 10);

    @Test
    void nullIsNoResult() {
        assertThat(results.encode(1, null)).isNull();
    }

    @Test
    void aResultMayHaveAsManyBytesAsTheLimitSays() {
        assertThat(results.encode(1, "12345678")).isEqualTo("\"12345678\"");
        assertThat(results.encode(1, "äöüß")).as("two bytes each").isEqualTo("\"äöüß\"");
    }

    @Test
    void aResultOverTheLimitIsRefusedByItsBytes() {
        assertThatThrownBy(() -> results.encode(1, "123456789"))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("10 bytes");
        assertThatThrownBy(() -> results.encode(1, "äöüßä")).isInstanceOf(PayloadException.class);
    }
}
