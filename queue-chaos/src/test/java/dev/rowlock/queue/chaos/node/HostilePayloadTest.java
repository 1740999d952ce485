package dev.rowlock.queue.chaos.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobType;
import dev.rowlock.queue.PayloadTooLargeException;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** Malicious payloads and headers are refused with a clear error or arrive unchanged. */
@PostgresTest(freshPerTest = true)
class HostilePayloadTest {

    record Text(String value) {}

    record Anything(Object value) {}

    record Fine(int number) {}

    /** A class that a document must never be able to bring to life. */
    public static final class Gadget {
        static final AtomicInteger MADE = new AtomicInteger();

        public Gadget() {
            MADE.incrementAndGet();
        }

        public void setCommand(String command) {
            MADE.addAndGet(100);
        }
    }

    private Bench bench;
    private final Queue<Object> seen = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void prepare(TestDatabase database) {
        bench = new Bench(database)
                .listener(Text.class, (context, payload) -> {
                    seen.add(((Text) bench.codec.decode(payload, Text.class)).value());
                    return null;
                })
                .listener(Anything.class, (context, payload) -> {
                    seen.add(((Anything) bench.codec.decode(payload, Anything.class)).value());
                    return null;
                })
                .listener(Fine.class, (context, payload) -> null)
                .start();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void textOfEveryKindArrivesAsItLeft() {
        List<String> texts = List.of(
                "\u0000",
                "a\u0000b",
                "\u0001\u001f\u007f\u0085\u2028\u2029",
                "'; DROP TABLE rowlock.ready; --",
                "${jndi:ldap://x}",
                "\\u0000 \\ \" \n",
                "\ud83d\ude00 é 漢字 \u202eabc",
                "x".repeat(1 << 20),
                "漢".repeat(1 << 18));

        for (String text : texts) {
            long id = bench.jobs.enqueue(new Text(text));
            assertThat(bench.end(id))
                    .as(text.substring(0, Math.min(20, text.length())))
                    .isEqualTo(JobState.COMPLETED);
            assertThat(seen.remove()).isEqualTo(text);
        }
    }

    @Test
    void unpairedSurrogatesAreRefusedOrTravelAndHarmNobody() {
        for (String text : List.of("\ud800", "a\udc00b", "\ud800\ud800", "\udc00\ud800")) {
            tryToRun(new Text(text));
        }

        assertThat(bench.end(bench.jobs.enqueue(new Fine(1)))).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void numbersOfAnySizeAreRefusedOrTravelAndHarmNobody() {
        for (Object number : List.of(
                new BigInteger("9".repeat(900)),
                new BigInteger("9".repeat(5_000)),
                new BigDecimal("1e999999"),
                new BigDecimal("1e-999999"),
                Double.NaN,
                Double.NEGATIVE_INFINITY,
                Long.MIN_VALUE,
                -0.0)) {
            tryToRun(new Anything(number));
        }

        assertThat(bench.end(bench.jobs.enqueue(new Fine(1)))).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void deepNestingIsRefusedOrTravelsAndHarmsNobody() {
        for (int depth : List.of(100, 400, 900, 5_000, 100_000)) {
            Object value = List.of();
            for (int i = 0; i < depth; i++) {
                value = List.of(value);
            }
            tryToRun(new Anything(value));
        }

        assertThat(bench.end(bench.jobs.enqueue(new Fine(1)))).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aPayloadThatContainsItselfIsRefused() {
        List<Object> itself = new java.util.ArrayList<>();
        itself.add(itself);

        assertThatThrownBy(() -> bench.jobs.enqueue(new Anything(itself))).isInstanceOf(PayloadException.class);
    }

    @Test
    void aPayloadOverTheLimitIsRefusedWithItsSizeAndTheLimit() {
        assertThatThrownBy(() -> bench.jobs.enqueue(new Text("漢".repeat(1_500_000))))
                .isInstanceOf(PayloadTooLargeException.class)
                .hasMessageContaining(Integer.toString(4 << 20));
    }

    @Test
    void noDocumentInstantiatesAClass() {
        String name = Gadget.class.getName();
        List<Object> documents = List.of(
                Map.of("@class", name, "command", "x"),
                Map.of("@type", name, "command", "x"),
                Map.of("@c", ".Gadget", "command", "x"),
                List.of(name, Map.of("command", "x")),
                List.of("javax.naming.InitialContext", Map.of()),
                List.of(
                        "org.springframework.context.support.ClassPathXmlApplicationContext",
                        "http://127.0.0.1:1/x.xml"));

        for (Object document : documents) {
            long id = bench.jobs.enqueue(new Anything(document));
            assertThat(bench.end(id)).isEqualTo(JobState.COMPLETED);
            assertThat(seen.remove()).as("plain data").isEqualTo(document);
        }

        assertThat(Gadget.MADE).hasValue(0);
    }

    @Test
    void aDocumentOfAnotherShapeFailsItsJobWithoutShowingIt() {
        long id = bench.jobs.enqueue(new Text("ok"));
        bench.ended(id);
        long broken = insert("[\"secret\", {\"deep\": 1e400}]");

        assertThat(bench.end(broken)).isEqualTo(JobState.DEAD);
        assertThat(bench.ended(broken).errors().get(0).message()).doesNotContain("secret");
    }

    @Test
    void headersOfAnyTextArriveOrAreRefused() {
        Queue<Map<String, String>> headers = new ConcurrentLinkedQueue<>();
        Map<String, String> odd = Map.of("\u0000", "\u0000", "'\"\\", "\u2028\n\r", "漢\ud83d\ude00", "x".repeat(1_000));
        try (Bench other = bench) {
            long id = other.jobs.enqueue(new Fine(1), o -> o.headers(odd));
            assertThat(other.end(id)).isEqualTo(JobState.COMPLETED);
            headers.add(other.search.find(id).orElseThrow().headers());
        }

        assertThat(headers).containsExactly(odd);
        assertThatThrownBy(() -> bench.jobs.enqueue(new Fine(1), o -> o.headers(Map.of("k", "x".repeat(1_001)))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> bench.jobs.enqueue(new Fine(1), o -> o.headers(Map.of("", "x"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @LongRunning
    @Test
    void aThousandRandomTextsAndTheirNeighboursInOneBatchAllArrive() {
        Random random = new Random(42);
        List<Text> texts = new java.util.ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            StringBuilder text = new StringBuilder();
            random.ints(random.nextInt(40), 0, 0x11000)
                    .filter(c -> c < 0xD800 || c > 0xDFFF)
                    .forEach(text::appendCodePoint);
            texts.add(new Text(text.toString()));
        }

        long[] ids = bench.jobs.enqueueAll(texts);
        for (long id : ids) {
            assertThat(bench.end(id)).isEqualTo(JobState.COMPLETED);
        }

        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        texts.stream().map(t -> (Object) t.value()).toList());
    }

    @JobType("no'such\"type")
    record Quoted(int number) {}

    @Test
    void maliciousNamesAreRefusedWhereTheyAreGiven() {
        for (String name : List.of(
                "",
                " ",
                "a b",
                "x'; DROP TABLE rowlock.ready; --",
                "a\"b",
                "a\u0000b",
                "a\nb",
                "|r|0|",
                "é",
                "x".repeat(10_240))) {
            assertThatThrownBy(() -> bench.jobs.enqueue(new Fine(1), o -> o.queue(name)))
                    .as("queue of %d characters", name.length())
                    .isInstanceOf(IllegalArgumentException.class)
                    .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(400))
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContainPattern("\\p{Cntrl}"));
        }
        assertThatThrownBy(() -> bench.jobs.enqueue(new Quoted(1))).isInstanceOf(IllegalArgumentException.class);
        for (String schema : List.of("", "a\"b", "a.b", "pg_x", "X", "x;y", "x".repeat(41), "a\u0000")) {
            assertThatThrownBy(() -> Rowlock.builder(bench.pool).schema(schema))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Either the caller is told clearly, or the job ends in one of the two ways in which jobs end. */
    private void tryToRun(Object payload) {
        long id;
        try {
            id = bench.jobs.enqueue(payload);
        } catch (PayloadException | PayloadTooLargeException | DataAccessException e) {
            return;
        }
        assertThat(bench.end(id)).isIn(JobState.COMPLETED, JobState.DEAD);
    }

    /** As another program could that writes into the tables. */
    private long insert(String payload) {
        return bench.sql.sql("""
                        INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)
                        VALUES (nextval('rowlock.job_id'), now(), now(), 0, 'default', 'Text', ?::json) RETURNING id
                        """).param(payload).query(Long.class).single();
    }
}
