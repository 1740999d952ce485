package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.spi.EnqueueCall;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Code of the application around enqueues. */
@PostgresTest(migrated = true)
class EnqueueInterceptorTest {

    record Greeting(String to) {}

    @JobType(queue = "billing")
    record Bill(int amount) {}

    private final DataSource pool;
    private final JdbcClient sql;
    private final Rowlocks rowlocks = new Rowlocks();
    private final List<EnqueueInterceptor> interceptors = new ArrayList<>();
    private final List<String> story = new ArrayList<>();

    EnqueueInterceptorTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.pool = database.dataSource();
        this.sql = JdbcClient.create(pool);
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    private JobTemplate jobs() {
        return rowlocks.built(Rowlocks.quick(pool).enqueueInterceptors(() -> interceptors))
                .jobs();
    }

    private static EnqueueInterceptor adding(String key, String value) {
        return (call, next) -> {
            call.headers(Map.of(key, value));
            next.run();
        };
    }

    private List<String> headers() {
        return sql.sql("SELECT coalesce(headers::text, '-') FROM rowlock.job_details ORDER BY id")
                .query(String.class)
                .list();
    }

    private long count() {
        return sql.sql("SELECT count(*) FROM rowlock.job").query(Long.class).single();
    }

    private static String told(EnqueueCall call) {
        return "%s %s %s %s %d %s %s"
                .formatted(
                        call.bulk() ? "bulk" : "one",
                        call.queue().orElse("-"),
                        call.type().orElse("-"),
                        call.requested(),
                        call.jobs(),
                        call.id().isPresent() ? "id" : "-",
                        call.answer().map(Enum::name).orElse("-"));
    }

    private void tellingBeforeAndAfter() {
        interceptors.add((call, next) -> {
            story.add(told(call));
            next.run();
            story.add(told(call));
        });
    }

    @Test
    void interceptorsWrapEachOtherAndTheInsertInTheirOrder() {
        interceptors.add((call, next) -> {
            story.add("outer before " + count());
            next.run();
            story.add("outer after " + count());
        });
        interceptors.add((call, next) -> {
            story.add("inner before " + count());
            next.run();
            story.add("inner after " + count());
        });

        jobs().enqueue(new Greeting("Ada"));

        assertThat(story).containsExactly("outer before 0", "inner before 0", "inner after 1", "outer after 1");
    }

    @Test
    void aSingleCallTellsWhereItsJobGoesAndWhatBecameOfIt() {
        tellingBeforeAndAfter();
        JobTemplate jobs = jobs();

        jobs.enqueue(new Bill(1), o -> o.header("tenant", "blue"));
        jobs.enqueue(new Bill(1), o -> o.queue("mail").unique("7"));
        jobs.enqueueUnique(new Bill(1), UniqueKey.of("7"));

        assertThat(story)
                .containsExactly(
                        "one billing Bill {tenant=blue} 1 - -",
                        "one billing Bill {tenant=blue} 1 id CREATED",
                        "one mail Bill {} 1 - -",
                        "one mail Bill {} 1 id CREATED",
                        "one billing Bill {} 1 - -",
                        "one billing Bill {} 1 id KEPT");
    }

    @Test
    void aBulkCallIsOneCallAndTellsWhatItsJobsHaveInCommon() {
        tellingBeforeAndAfter();
        JobTemplate jobs = jobs();

        jobs.enqueueAll(List.of(new Bill(1), new Bill(2)));
        jobs.enqueueAll(Stream.of(JobRequest.of(new Bill(1)), JobRequest.of(new Greeting("Ada"))));
        jobs.enqueueEach(List.of(
                JobRequest.of(new Bill(1), o -> o.unique("7")), JobRequest.of(new Bill(2), o -> o.unique("7"))));
        jobs.enqueueAll(List.of());

        assertThat(story)
                .containsExactly(
                        "bulk - - {} 0 - -",
                        "bulk billing Bill {} 2 - CREATED",
                        "bulk - - {} 0 - -",
                        "bulk - - {} 2 - CREATED",
                        "bulk - - {} 0 - -",
                        "bulk billing Bill {} 2 - -",
                        "bulk - - {} 0 - -",
                        "bulk - - {} 0 - CREATED");
    }

    @Test
    void addedHeadersReachEachJobWhateverTheCall() {
        interceptors.add(adding("trace", "1"));
        JobTemplate jobs = jobs();

        jobs.enqueue(new Greeting("Ada"));
        jobs.enqueueUnique(new Greeting("Ada"), UniqueKey.of("7"));
        jobs.enqueue(new Greeting("x".repeat(10_000)), o -> o.delay(Duration.ofHours(1)));
        jobs.enqueueAll(List.of(new Greeting("Ada"), new Greeting("Bob")));
        jobs.enqueueAll(IntStream.range(0, 3_000).mapToObj(i -> JobRequest.of(new Greeting("" + i))));
        jobs.enqueueEach(List.of(JobRequest.of(new Greeting("Ada"))));

        assertThat(headers())
                .hasSize(3_006)
                .containsOnly("{\"trace\":\"1\"}", "{\"rowlock-unique-key\":\"7\",\"trace\":\"1\"}")
                .containsOnlyOnce("{\"rowlock-unique-key\":\"7\",\"trace\":\"1\"}");
    }

    @Test
    void whatTheRequestSaysStays() {
        interceptors.add((call, next) -> {
            call.headers(new HashMap<>(Map.of("trace", "1", "state", "2")));
            call.headers(Map.of("tenant", "blue"));
            next.run();
        });

        jobs().enqueue(new Greeting("Ada"), o -> o.header("trace", "own"));

        assertThat(jsonOf(headers().get(0))).isEqualTo(Map.of("trace", "own", "tenant", "blue"));
    }

    @Test
    void headersWithoutRoomAreLeftOutTogether() {
        interceptors.add((call, next) -> {
            call.headers(Map.of("trace", "1", "state", "x".repeat(JobOptions.MAX_HEADER_LENGTH + 1)));
            call.headers(Map.of("tenant", "blue"));
            next.run();
        });

        jobs().enqueue(new Greeting("Ada"));

        assertThat(headers()).containsExactly("{\"tenant\":\"blue\"}");
    }

    @Test
    void aKeyOfRowlocksOwnIsRefused() {
        interceptors.add(adding("rowlock-retry", "1"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> jobs().enqueue(new Greeting("Ada")))
                .withMessageContaining("rowlock-retry");
        assertThat(count()).isZero();
    }

    @Test
    void whoeverThrowsRefusesTheCall() {
        interceptors.add((call, next) -> {
            throw new UnsupportedOperationException("not today");
        });

        assertThatThrownBy(() -> jobs().enqueue(new Greeting("Ada"))).hasMessage("not today");
        assertThat(count()).isZero();
    }

    @Test
    void whatTheCallThrowsReachesInterceptorAndCaller() {
        interceptors.add((call, next) -> {
            try {
                next.run();
            } catch (RuntimeException e) {
                story.add(e.getClass().getSimpleName());
                throw e;
            }
        });

        assertThatThrownBy(() -> jobs().enqueue(new Greeting("x".repeat(2 << 20))))
                .isInstanceOf(PayloadTooLargeException.class);
        assertThat(story).containsExactly("PayloadTooLargeException");
    }

    @Test
    void anInterceptorThatDoesNotGoOnOrGoesOnTwiceIsAnError() {
        JobTemplate jobs = jobs();
        interceptors.add((call, next) -> {});
        assertThatIllegalStateException()
                .isThrownBy(() -> jobs.enqueue(new Greeting("Ada")))
                .withMessageContaining("without going on");

        List<EnqueueInterceptor> twice = List.of((call, next) -> {
            next.run();
            next.run();
        });
        JobTemplate others = rowlocks.built(Rowlocks.quick(pool).enqueueInterceptors(() -> twice))
                .jobs();
        assertThatIllegalStateException()
                .isThrownBy(() -> others.enqueueAll(List.of(new Greeting("Ada"))))
                .withMessageContaining("twice");
    }

    @Test
    void aStreamIsClosedAlsoIfTheCallIsRefused() {
        interceptors.add((call, next) -> {
            throw new UnsupportedOperationException("not today");
        });
        Stream<JobRequest> requests =
                Stream.of(JobRequest.of(new Greeting("Ada"))).onClose(() -> story.add("closed"));

        assertThatThrownBy(() -> jobs().enqueueAll(requests)).hasMessage("not today");
        assertThat(story).containsExactly("closed");
    }

    /** Otherwise all its runs would belong to the trace of whoever made it. */
    @Test
    void aRecurringJobTakesNothingAlongFromWhoeverMakesIt() {
        interceptors.add(adding("trace", "1"));
        Rowlock rowlock = rowlocks.built(Rowlocks.quick(pool).enqueueInterceptors(() -> interceptors));

        rowlock.recurringJobs().create(RecurringJob.of("greetings", Schedule.cron("0 0 0 1 1 *"), new Greeting("Ada")));
        rowlock.recurringJobs().runNow("greetings");

        assertThat(headers()).singleElement().asString().doesNotContain("trace").contains("greetings");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> jsonOf(String text) {
        return tools.jackson.databind.json.JsonMapper.shared().readValue(text, Map.class);
    }
}
