package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads travel through every room as they are, or are refused with a clear error. */
@PostgresTest(migrated = true)
@Representative
class PayloadTravelTest {

    record Note(String text) {}

    record Nested(Object inner) {}

    record Raw(@JsonRawValue String json) {}

    private final Rooms rooms;
    private final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build());
    private final JobTemplate jobs;

    PayloadTravelTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        jobs = new JobTemplate(rooms.database(), codec, 4 << 20, type -> Rooms.QUEUE, Wakeups.NONE);
    }

    static Stream<String> texts() {
        return Stream.of(
                "",
                "\u0000",
                "before\u0000after",
                "\\u0000",
                "\ud83d",
                "\ude00\ud83d",
                "\ud83d\ude00 and é, \u2028, \uffff",
                "{\"a\": [\"'; DROP TABLE ready; --\"]}",
                "{a,b,\"c\\\"}",
                "line\nbreak\ttab\\",
                "x".repeat(1_000_000),
                "é".repeat(1_000_000));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void everyTextArrivesAsItWas(String text) {
        jobs.enqueue(new Note(text));

        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);

        assertThat(codec.decode(payload(job), Note.class)).isEqualTo(new Note(text));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void everyTextArrivesAsAHeaderKeyAndResultToo(String text) {
        String header = text.length() > 1_000 ? text.substring(0, 1_000) : text;
        long id = jobs.enqueue(new Note(""), o -> o.headers(Map.of("key" + header.length(), header)));
        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);

        new OutcomeStatements(rooms.database(), true)
                .finish(
                        List.of(new OutcomeStatements.Finished(
                                job.claim(), JobState.COMPLETED, codec.encode(new Note(text)))),
                        true);

        JobDetails done = new JobSearch(rooms.database()).find(id).orElseThrow();
        assertThat(done.headers()).containsExactly(Map.entry("key" + header.length(), header));
        assertThat(codec.decode(Objects.requireNonNull(done.result()), Note.class))
                .isEqualTo(new Note(text));
    }

    @Test
    void aDeepPayloadArrivesOrIsRefused() {
        jobs.enqueue(new Nested(nested(400)));

        assertThatThrownBy(() -> jobs.enqueue(new Nested(nested(600))))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("depth");

        ClaimedJob job = rooms.claim(rooms.node(), 10).get(0);
        assertThat(codec.decode(payload(job), Nested.class)).isEqualTo(new Nested(nested(400)));
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void onePayloadThatDoesNotSerializeFailsTheWholeCall() {
        assertThatThrownBy(() -> jobs.enqueueAll(List.of(new Note("a"), new Nested(nested(600)), new Note("b"))))
                .isInstanceOf(PayloadException.class);

        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void onePayloadThatIsNoJsonFailsTheWholeCallAndIsNotQuoted() {
        Throwable refused = catchThrowable(
                () -> jobs.enqueueAll(List.of(new Note("a"), new Raw("hunter2 is no JSON"), new Note("b"))));

        assertThat(refused).isInstanceOf(PayloadException.class).hasMessageContaining("could not be read again");
        assertThat(trace(refused)).doesNotContain("hunter2");
        assertThat(rooms.count("ready")).isZero();
    }

    /** Of a codec that only writes, nobody can say whether its documents can be read. */
    @Test
    void onePayloadThatTheDatabaseRefusesFailsTheWholeCallAndIsNotQuoted() {
        PayloadCodec writing = new PayloadCodec() {
            @Override
            public String encode(Object value) {
                return ((Note) value).text();
            }

            @Override
            public Object decode(String json, Type type) {
                throw new AssertionError("it only writes");
            }
        };
        JobTemplate unread = new JobTemplate(rooms.database(), writing, 4 << 20, type -> Rooms.QUEUE, Wakeups.NONE);

        Throwable refused = catchThrowable(
                () -> unread.enqueueAll(List.of(new Note("{}"), new Note("hunter2 is no JSON"), new Note("{}"))));

        assertThat(refused).isInstanceOf(DataAccessException.class).hasMessageContaining("json");
        assertThat(trace(refused)).doesNotContain("hunter2");
        assertThat(rooms.count("ready")).isZero();
    }

    private String payload(ClaimedJob job) {
        return job.payload() != null
                ? job.payload()
                : new ClaimStatements(rooms.database()).payload(job.claim()).orElseThrow();
    }

    private static Object nested(int depth) {
        Object nested = "core";
        for (int i = 0; i < depth; i++) {
            nested = List.of(nested);
        }
        return nested;
    }

    private static String trace(Throwable error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}
