package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobOptionsHeadersTest {

    @Test
    void headersTogetherMayHave8000Characters() {
        assertThat(JobOptions.NONE.headers(headers(8, 999)).headers()).hasSize(8);
        assertThatThrownBy(() -> JobOptions.NONE.headers(headers(9, 999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("headers of 9000 characters")
                .hasMessageContaining("8000");
    }

    /** With keys of one character. */
    private static Map<String, String> headers(int count, int length) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(String::valueOf, i -> "v".repeat(length)));
    }
}
