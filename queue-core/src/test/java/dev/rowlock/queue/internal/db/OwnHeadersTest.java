package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.UniqueKey;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of a job's headers are Rowlock's own. */
class OwnHeadersTest {

    private static final String OWN_NAMES = "rowlock-alone rowlock-workflow rowlock-retry rowlock-unique-key";

    /** Headers of the application may say what they like. */
    @ParameterizedTest
    @ValueSource(
            strings = {"%s", "\"%s\"", "\"%s\":", "x\"%s", "{\"%s\": \"true\"}", ",\"%s\":\"1\"", "\\\"%s\":", "%s\\"})
    void anApplicationsHeaderIsNotTakenForOneOfRowlocksOwn(String text) {
        for (String name : OWN_NAMES.split(" ")) {
            String mark = text.formatted(name);
            JobOptions options = JobOptions.NONE.header("mark", mark).header("x" + mark, "y");
            String document = Objects.requireNonNull(Headers.encode(options, null));

            assertThat(Headers.alone(document)).as(document).isFalse();
            assertThat(Headers.inWorkflow(document)).as(document).isFalse();
            assertThat(Headers.retry(document)).as(document).isNull();
            assertThat(Headers.uniqueKey(document)).as(document).isNull();
            assertThat(Headers.decode(document)).isEqualTo(Map.of("mark", mark, "x" + mark, "y"));
        }
    }

    /** PostgreSQL writes blanks where it makes the document. */
    @Test
    void rowlocksOwnAreFound() {
        assertThat(Headers.alone("{\"a\" : \"rowlock-alone\", \"rowlock-alone\" : \"true\"}"))
                .isTrue();
        assertThat(Headers.inWorkflow(Headers.inWorkflow("{\"a\":\"rowlock-workflow\"}", 7)))
                .isTrue();
        String document = Headers.encode(
                JobOptions.NONE
                        .header("a", "rowlock-unique-key")
                        .unique(UniqueKey.of("order-1"))
                        .retry(RetryPolicy.never()),
                "mail to \"Ada\"");
        assertThat(Headers.title(document)).isEqualTo("mail to \"Ada\"");
        assertThat(Headers.decode(document)).containsOnlyKeys("a");
        assertThat(Headers.uniqueKey(document)).isEqualTo("order-1");
        assertThat(Headers.retry(document)).isNotNull();
    }
}
