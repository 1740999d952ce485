package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Type;
import java.util.Map;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class HeadersTest {

    record Secret(int number) {}

    private final Rooms rooms;

    HeadersTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    /** Such a codec may encrypt; nobody but it can read what it wrote. */
    @Test
    void headersCanBeReadWhateverTheCodecMakesOfPayloads() {
        PayloadCodec encrypting = new PayloadCodec() {
            @Override
            public String encode(Object value) {
                return "\"\u00a7\u00a7\u00a7\"";
            }

            @Override
            public Object decode(String json, Type type) {
                throw new UnsupportedOperationException();
            }
        };
        Map<String, String> headers =
                Map.of("trace", "a-1", "who", "J\u00f6rg \ud83d\ude00", "half", "\ud83d", "nul", "\u0000");
        JobTemplate jobs = new JobTemplate(rooms.database(), encrypting, 1_000, type -> null, new RecordedWakeups());

        long id = jobs.enqueue(new Secret(1), JobOptions.NONE.headers(headers));

        assertThat(new JobSearch(rooms.database()).find(id).orElseThrow().headers())
                .isEqualTo(headers);
    }
}
