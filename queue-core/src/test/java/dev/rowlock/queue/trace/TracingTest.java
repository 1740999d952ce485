package dev.rowlock.queue.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** A process that enqueues and a node, each with a tracer of its own, and the spans that both have ended. */
@PostgresTest(migrated = true)
abstract class TracingTest {

    @JobType(queue = "orders")
    record Order(int number) {}

    @JobType(queue = "mail")
    record Mail(String to) {}

    static final String NO_PARENT = "0000000000000000";

    final DataSource pool;
    final JdbcClient sql;
    final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    final TracedProcess web = new TracedProcess("web", exporter, Duration.ofMinutes(1));
    final TracedProcess node = new TracedProcess("node", exporter, Duration.ofMinutes(1));
    final Deque<Rowlock> opened = new ArrayDeque<>();
    final Queue<String> heard = new ConcurrentLinkedQueue<>();

    TracingTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.pool = database.dataSource();
        this.sql = JdbcClient.create(pool);
    }

    @AfterEach
    void close() {
        opened.forEach(Rowlock::close);
    }

    /** A process that only enqueues. */
    JobTemplate jobs() {
        return opened(web.rowlock(pool)).jobs();
    }

    Rowlock opened(RowlockBuilder builder) {
        Rowlock rowlock = builder.build();
        opened.push(rowlock);
        return rowlock;
    }

    Rowlock started(RowlockBuilder builder) {
        Rowlock rowlock = opened(builder);
        rowlock.start();
        return rowlock;
    }

    /** In the order of their ends. */
    List<SpanData> spans(String name, int count) {
        Awaitility.await().until(() -> named(name).count() >= count);
        return named(name).toList();
    }

    Stream<SpanData> named(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name));
    }

    SpanData span(String name) {
        return spans(name, 1).get(0);
    }

    static String tag(SpanData span, String key) {
        return span.getAttributes().get(AttributeKey.stringKey(key));
    }

    static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(context -> context.getTraceId() + " " + context.getSpanId())
                .toList();
    }

    static String place(SpanData span) {
        return span.getTraceId() + " " + span.getSpanId();
    }

    static void assertChild(SpanData child, SpanData parent) {
        assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
        assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(child.getLinks()).isEmpty();
    }

    static void assertLinked(SpanData span, SpanData... origins) {
        assertThat(span.getParentSpanId()).isEqualTo(NO_PARENT);
        assertThat(links(span))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(origins).map(TracingTest::place).toList());
        assertThat(origins).allSatisfy(origin -> assertThat(origin.getTraceId()).isNotEqualTo(span.getTraceId()));
    }

    @SuppressWarnings("unchecked")
    Map<String, String> headers(long id) {
        return sql.sql("SELECT coalesce(headers::text, '{}') FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .optional()
                .map(json -> (Map<String, String>) JsonMapper.shared().readValue(json, Map.class))
                .orElseThrow();
    }

    /** What a node leaves behind that has just been killed: all that is ready, claimed. */
    void claimForADeadNode() {
        long dead = sql.sql("""
                INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis)
                VALUES (nextval('rowlock.node_id'), 'dead', '{}', now(), now(), 7, 1000)
                RETURNING id
                """).query(Long.class).single();
        sql.sql("""
                WITH r AS (DELETE FROM rowlock.ready RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload, headers)
                SELECT id, nextval('rowlock.claim_token'), :dead, ready_at, enqueued_at, now(), rank, 1, 0, queue, type, payload, headers FROM r
                """).param("dead", dead).update();
    }

    void throwAtFirst(JobContext job) {
        if (job.attempt() == 1) {
            throw new IllegalStateException("out of stock");
        }
    }
}
