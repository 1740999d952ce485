package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@PostgresTest(migrated = true)
class HeadersTest {

    record Secret(int number) {}

    private final Rooms rooms;

    HeadersTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @JobType(title = "invoice {number}")
    record Titled(int number) {}

    @Test
    void aTitleIsStoredWithTheJobAndNoHeaderOfTheApplications() {
        JobTemplate jobs =
                FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), Wakeups.NONE);
        JobSearch search = new JobSearch(rooms.database());

        long id = jobs.enqueue(new Titled(7), o -> o.header("a", "b"));
        long[] more = jobs.enqueueAll(List.of(new Titled(8), new Titled(9)));
        long plain = jobs.enqueue(new Secret(1));

        JobDetails job = search.find(id).orElseThrow();
        assertThat(job.title()).isEqualTo("invoice 7");
        assertThat(job.headers()).isEqualTo(Map.of("a", "b"));
        assertThat(search.find(JobFilter.all(), Page.first(10)).jobs())
                .extracting(JobSummary::id, JobSummary::title)
                .containsExactly(
                        tuple(plain, null),
                        tuple(more[1], "invoice 9"),
                        tuple(more[0], "invoice 8"),
                        tuple(id, "invoice 7"));
        assertThat(rooms.truth("SELECT headers IS NULL FROM rowlock.ready WHERE id = " + plain))
                .isTrue();
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
