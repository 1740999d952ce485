package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.gate.LimitFeature;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.SlowDownException;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rates over two nodes. A rate of some jobs an hour, so that the time that a test takes is nothing. */
@PostgresTest(migrated = true)
class RatesTest {

    record Send(String to) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final TestDatabase database;
    private Rowlock first;

    RatesTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.database = database;
    }

    @BeforeEach
    void build() {
        first = rowlocks.built(Rowlocks.quick(database.dataSource()).listener(Send.class, (send, job) -> handle(send)));
    }

    private void start() {
        first.start();
        rowlocks.started(Rowlocks.quick(database.dataSource()).listener(Send.class, (send, job) -> handle(send)));
    }

    private void handle(Send send) {
        sent.add(send.to());
        if (send.to().equals("refused")) {
            throw new SlowDownException(Duration.ofHours(1));
        }
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void noMoreBeginThanTheRateAllowsUntilItIsRaised() {
        first.limits().set(QueueLimit.of("default").rate(Rate.perHour(1).burst(5)));
        enqueue("plain", null, 10);
        enqueue("keyed", "a", 10);
        start();
        await().until(() -> sent.size() == 5);

        assertThat(reasons(first.jobs().enqueue(new Send("late")))).contains(Kind.RATE);
        assertThat(sent).hasSize(5);

        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(1_000_000)));
        await().until(() -> sent.size() == 21);
    }

    @Test
    void eachKeyHasARateOfItsOwn() {
        first.limits().set(QueueLimit.of("default").ratePerKey(Rate.perHour(1).burst(2)));
        enqueue("a", "a", 10);
        enqueue("b", "b", 10);
        enqueue("free", null, 10);
        start();

        await().until(() -> sent.size() == 14);
        assertThat(sent).filteredOn("a"::equals).hasSize(2);
        assertThat(sent).filteredOn("b"::equals).hasSize(2);
    }

    @Test
    void jobsBeginAsTheRateAllowsThem() {
        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(200)).ratePerKey(Rate.perSecond(100)));
        enqueue("a", "a", 40);
        enqueue("b", "b", 40);
        long begun = System.nanoTime();
        start();

        await().until(() -> sent.size() == 80);
        // Ten of each key at once, then one each ten milliseconds.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(290));
    }

    @Test
    void whoIsToldToSlowDownSlowsDownItsKeyAndNobodyElse() {
        first.limits().set(QueueLimit.of("default").ratePerKey(Rate.perSecond(1_000)));
        long refused = first.jobs().enqueue(new Send("refused"), o -> o.key("a"));
        start();
        await().until(() -> first.search().find(refused).orElseThrow().waitReason() != null);
        enqueue("a", "a", 5);
        enqueue("b", "b", 5);

        await().until(() -> sent.size() == 6);

        assertThat(sent).doesNotContain("a").contains("b");
        assertThat(reasons(first.jobs().enqueue(new Send("a"), o -> o.key("a"))))
                .contains(Kind.RATE);
        first.limits().remove("default");
        await().until(() -> sent.size() == 12);
    }

    @Test
    void aListenerThatSlowsDownAQueueWithoutARateIsToldOnceThatOthersDoNotWait() {
        try (LogLines log = new LogLines(LimitFeature.class.getName())) {
            List<Long> refused = List.of(
                    first.jobs().enqueue(new Send("refused")), first.jobs().enqueue(new Send("refused")));
            enqueue("other", null, 3);
            first.start();

            await().until(() -> sent.size() == 5);
            refused.forEach(id ->
                    await().until(() -> first.search().find(id).orElseThrow().waitReason() == WaitReason.SNOOZE));

            assertThat(log.events())
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .startsWith(
                                    "queue 'default': a listener threw SlowDownException, but the queue has no rate"));
        }
    }

    @Test
    void aQueueIsSlowedDownByHand() {
        assertThat(first.limits().slowDown("default", null, Duration.ofHours(1)))
                .isFalse();
        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(1_000)));
        assertThat(first.limits().slowDown("default", "a", Duration.ofHours(1))).isTrue();
        enqueue("a", null, 3);
        start();
        long last = first.jobs().enqueue(new Send("a"));
        await().until(() -> reasons(last).contains(Kind.RATE));
        assertThat(sent).isEmpty();

        first.limits().remove("default");

        await().until(() -> sent.size() == 4);
        assertThat(first.admin().audit(null, 10))
                .filteredOn(line -> line.action().equals("slow down"))
                .singleElement()
                .satisfies(line -> assertThat(line.detail()).isEqualTo("key a for PT1H"));
    }

    @Test
    void aSlowDownIsEndedByHand() {
        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(1_000)).ratePerKey(Rate.perSecond(1_000)));
        first.limits().slowDown("default", null, Duration.ofHours(1));
        first.limits().slowDown("default", "a", Duration.ofHours(1));
        enqueue("plain", null, 3);
        enqueue("keyed", "a", 3);
        start();
        long last = first.jobs().enqueue(new Send("plain"));
        await().until(() -> reasons(last).contains(Kind.RATE));

        assertThat(first.limits().slowDown("default", null, Duration.ZERO)).isTrue();

        await().until(() -> sent.size() == 4);
        assertThat(sent).containsOnly("plain");
        assertThat(first.limits().slowDown("default", "a", Duration.ZERO)).isTrue();
        await().until(() -> sent.size() == 7);
        assertThat(first.limits().slowDown("other", null, Duration.ZERO)).isFalse();
        assertThat(first.limits().slowDown("default", "a", Duration.ZERO))
                .as("there is none to end: no line in the audit")
                .isTrue();
        assertThat(first.admin().audit(null, 10))
                .filteredOn(line -> line.action().equals("end slow-down"))
                .hasSize(2);
    }

    @Test
    void aShorterSlowDownDoesNotEndALongerOne() {
        first.limits().set(QueueLimit.of("default").rate(Rate.perSecond(1_000)));
        first.limits().slowDown("default", null, Duration.ofHours(1));

        first.limits().slowDown("default", null, Duration.ofMillis(1));

        enqueue("plain", null, 1);
        start();
        long last = first.jobs().enqueue(new Send("plain"));
        await().until(() -> reasons(last).contains(Kind.RATE));
        assertThat(sent).isEmpty();
    }

    @Test
    void aTimeThatIsNoneIsRefused() {
        for (Duration none : List.of(Duration.ofMillis(-1), Duration.ofNanos(1), Duration.ofDays(32))) {
            assertThatThrownBy(() -> first.limits().slowDown("default", null, none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 ms to 31 days");
        }
    }

    private List<Kind> reasons(long id) {
        return first.search().explain(id).orElseThrow().reasons().stream()
                .map(Reason::kind)
                .toList();
    }

    private void enqueue(String to, String key, int jobs) {
        JobOptions options = key == null ? JobOptions.NONE : JobOptions.NONE.key(key);
        first.jobs()
                .enqueueAll(IntStream.range(0, jobs).mapToObj(i -> new Send(to)).toList(), options);
    }
}
