package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Policies of an application, over two nodes. */
@PostgresTest(freshPerTest = true, migrated = true)
class PoliciesTest {

    @JobType("send")
    record Send(String to) {}

    record Rare(String to) {}

    private static final Duration LATE = Duration.ofSeconds(30);

    private static final PolicyTimes QUICK = PolicyTimes.DEFAULT.faster(10);

    private final Rowlocks rowlocks = new Rowlocks();
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final TestDatabase database;
    private volatile boolean open;

    PoliciesTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @Test
    void nothingRunsBeforeThePolicyChoosesItAndThenAllDoes() {
        Rowlock first = node(request -> open ? all(request) : Admission.of(List.of()));
        Rowlock second = node(request -> open ? all(request) : Admission.of(List.of()));
        enqueue(first, 100);
        first.start();
        second.start();
        long late = first.jobs().enqueue(new Send("late"));
        await().untilAsserted(() -> assertThat(reasons(first, late)).contains(Kind.POLICY));
        assertThat(sent).isEmpty();

        open = true;

        await().until(() -> sent.size() == 101);
        assertThat(sent).doesNotHaveDuplicates();
    }

    @Test
    void nothingRunsBeforeTheFirstAnswerHoweverLateItComes() {
        Rowlock only = node(
                request -> {
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("took too long", e);
                    }
                    return all(request);
                },
                new PolicyTimes(LATE, LATE, LATE.dividedBy(2), LATE.dividedBy(4)));
        enqueue(only, 100);

        only.start();

        await().until(() ->
                only.status().claims().stream().anyMatch(claims -> claims.successful() + claims.empty() > 2));
        assertThat(sent).isEmpty();
        mayEnd.countDown();
        await().until(() -> sent.size() == 100);
    }

    @Test
    void jobsRunInTheOrderInWhichThePolicyChoosesThem() {
        Rowlock only = rowlocks.built(builder()
                .policy(policy(request -> Admission.of(request.jobs().stream()
                        .sorted(Comparator.comparingInt(PoliciesTest::urgency))
                        .limit(request.room())
                        .map(WaitingJob::id)
                        .toList())))
                .worker(WorkerSettings.DEFAULT.withConcurrency(1)));
        for (int i = 0; i < 50; i++) {
            String urgency = String.valueOf((i * 37) % 50);
            only.jobs().enqueue(new Send(urgency), o -> o.header("urgency", urgency));
        }

        only.start();

        await().until(() -> sent.size() == 50);
        assertThat(sent)
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(String::valueOf).toList());
    }

    private static int urgency(WaitingJob job) {
        return Integer.parseInt(job.headers().get("urgency"));
    }

    @Test
    void aPolicySeesJobsBehindThoseThatItLeaves() {
        Rowlock only = node(request -> Admission.of(request.jobs().stream()
                .filter(job -> job.type().contains("Rare"))
                .limit(request.room())
                .map(WaitingJob::id)
                .toList()));
        enqueue(only, 1_200);
        IntStream.range(0, 300).forEach(i -> only.jobs().enqueue(new Send("keyed"), o -> o.key("k" + i)));
        only.jobs().enqueue(new Rare("rare"));

        only.start();

        await().until(() -> sent.contains("rare"));
        assertThat(sent).containsExactly("rare");
    }

    @Test
    void jobsGoOnWithoutAPolicyThatThrows() {
        goesOnWithout(request -> {
            throw new IllegalStateException("no idea");
        });
    }

    @Test
    void jobsGoOnWithoutAPolicyThatHangs() {
        goesOnWithout(request -> {
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                return hang();
            }
            return all(request);
        });
    }

    /** Also where it is interrupted. */
    private Admission hang() {
        while (mayEnd.getCount() > 0) {
            Thread.onSpinWait();
        }
        return Admission.of(List.of());
    }

    @Test
    void jobsGoOnWithoutAPolicyThatChoosesWhatItWasNotShown() {
        goesOnWithout(request -> Admission.of(List.of(-1L)));
    }

    @Test
    void jobsGoOnWithoutAPolicyThatChoosesMoreThanThereIsRoomFor() {
        goesOnWithout(request ->
                Admission.of(request.jobs().stream().map(WaitingJob::id).toList()));
    }

    @Test
    @SuppressWarnings("NullAway")
    void jobsGoOnWithoutAPolicyThatReturnsNothing() {
        goesOnWithout(request -> null);
    }

    private void goesOnWithout(Function<AdmissionRequest, Admission> bad) {
        Rowlock first = node(bad, QUICK);
        Rowlock second = node(bad, QUICK);
        enqueue(first, 100);

        first.start();
        second.start();

        await().until(() -> sent.size() == 100);
        enqueue(first, 10);
        await().until(() -> sent.size() == 110);
        assertThat(sent).doesNotHaveDuplicates();
    }

    @Test
    void aPolicyThatAnswersAgainDecidesAgain() {
        AtomicBoolean broken = new AtomicBoolean(true);
        Rowlock only = node(
                request -> {
                    if (broken.get()) {
                        throw new IllegalStateException("not yet");
                    }
                    return open ? all(request) : Admission.of(List.of());
                },
                QUICK);
        only.start();
        enqueue(only, 20);
        await().until(() -> sent.size() == 20);

        broken.set(false);

        List<Long> later = new ArrayList<>();
        await().until(() -> {
            later.add(only.jobs().enqueue(new Send("later " + later.size())));
            return reasons(only, later.get(Math.max(0, later.size() - 2))).contains(Kind.POLICY);
        });
        open = true;
        await().until(() -> sent.size() == 20 + later.size());
    }

    @Test
    void jobsRunWithoutAPolicyThatNoNodeHasAnyMore() throws Exception {
        Rowlock with = node(request -> Admission.of(List.of()), QUICK);
        enqueue(with, 20);
        with.start();
        long id = with.jobs().enqueue(new Send("held"));
        await().until(() -> reasons(with, id).contains(Kind.POLICY));

        with.stop();
        rowlocks.started(builder());

        await().until(() -> sent.size() == 21);
    }

    @Test
    void anotherNodeAsksThePolicyWhenTheFirstStops() {
        Rowlock first = node(request -> Admission.of(List.of()));
        Rowlock second = node(request -> all(request));
        enqueue(first, 20);
        first.start();
        long id = first.jobs().enqueue(new Send("held"));
        await().until(() -> reasons(first, id).contains(Kind.POLICY));
        second.start();
        assertThat(sent).isEmpty();

        first.stop();

        await().until(() -> sent.size() == 21);
    }

    @Test
    void limitsOfTheQueueHoldForWhatThePolicyChooses() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Rowlock node = rowlocks.built(Rowlocks.quick(database.dataSource())
                    .limit(QueueLimit.of("default").maxRunning(2))
                    .policy(policy(PoliciesTest::all))
                    .listener(Send.class, (send, job) -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        Thread.yield();
                        running.decrementAndGet();
                        sent.add(send.to());
                    }));
            if (i == 0) {
                enqueue(node, 200);
            }
            node.start();
        }

        await().until(() -> sent.size() == 200);
        assertThat(most).hasValueLessThanOrEqualTo(2);
    }

    @Test
    void limitsOfKeysHoldForWhatThePolicyChooses() {
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        AtomicInteger most = new AtomicInteger();
        List<Rowlock> nodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            nodes.add(rowlocks.built(Rowlocks.quick(database.dataSource())
                    .limit(QueueLimit.of("default").maxRunningPerKey(1))
                    .policy(policy(PoliciesTest::all))
                    .listener(Send.class, (send, job) -> {
                        AtomicInteger ofKey =
                                running.computeIfAbsent(String.valueOf(job.key()), key -> new AtomicInteger());
                        most.accumulateAndGet(ofKey.incrementAndGet(), Math::max);
                        Thread.yield();
                        ofKey.decrementAndGet();
                        sent.add(send.to());
                    })));
        }
        for (int i = 0; i < 200; i++) {
            String to = String.valueOf(i);
            String key = "k" + i % 5;
            nodes.get(0).jobs().enqueue(new Send(to), o -> o.key(key));
        }

        nodes.forEach(Rowlock::start);

        await().until(() -> sent.size() == 200);
        assertThat(sent).doesNotHaveDuplicates();
        assertThat(most).hasValue(1);
    }

    @Test
    void aKeyThatIsFullKeepsNoOtherJobFromThePolicy() {
        Rowlock only = rowlocks.built(Rowlocks.quick(database.dataSource())
                .limit(QueueLimit.of("default").maxRunningPerKey(1))
                .policy(policy(PoliciesTest::all))
                .listener(Send.class, (send, job) -> {
                    if (send.to().equals("long")) {
                        mayEnd.await();
                    }
                    sent.add(send.to());
                }));
        only.jobs().enqueue(new Send("long"), o -> o.key("full"));
        IntStream.range(0, 20).forEach(i -> only.jobs().enqueue(new Send("behind " + i), o -> o.key("full")));
        only.jobs().enqueue(new Send("other"));

        only.start();

        await().until(() -> sent.contains("other"));
        assertThat(sent).containsExactly("other");
    }

    @Test
    void aPolicyIsNotAskedWhereKeysAreInOrder() {
        Rowlock only = node(request -> Admission.of(List.of()));
        only.limits().set(QueueLimit.of("default").inOrder(AfterFailure.HOLD));
        enqueue(only, 20);

        only.start();

        await().until(() -> sent.size() == 20);
    }

    @Test
    void jobsThatAreRetriedAreShownToThePolicyAgain() {
        Map<Integer, Integer> shown = new ConcurrentHashMap<>();
        Rowlock only = rowlocks.built(Rowlocks.quick(database.dataSource())
                .policy(policy(request -> {
                    request.jobs().forEach(job -> shown.merge(job.attempts(), 1, Integer::sum));
                    return all(request);
                }))
                .listener(Send.class, (send, job) -> {
                    if (job.attempt() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    sent.add(send.to());
                }));
        only.start();

        only.jobs().enqueue(new Send("third time"));

        await().until(() -> sent.contains("third time"));
        assertThat(shown).containsOnlyKeys(0, 1, 2);
    }

    @Test
    void jobsThatSqlEnqueuesAndJobsThatAreDueLaterWaitForThePolicyToo() {
        Rowlock only = node(request -> open ? all(request) : Admission.of(List.of()));
        only.start();

        long sql = JdbcClient.create(database.dataSource())
                .sql("SELECT rowlock.enqueue('send', '{\"to\": \"by sql\"}')")
                .query(Long.class)
                .single();
        long due = only.jobs().enqueue(new Send("due later"), o -> o.delay(Duration.ofMillis(50)));

        await().until(() -> reasons(only, sql).contains(Kind.POLICY));
        await().until(() -> reasons(only, due).contains(Kind.POLICY));
        assertThat(sent).isEmpty();
        open = true;
        await().until(() -> sent.size() == 2);
    }

    @Test
    void aHeldJobCanBeCancelled() {
        Rowlock only = node(request -> open ? all(request) : Admission.of(List.of()));
        only.start();
        long cancelled = only.jobs().enqueue(new Send("cancelled"));
        only.jobs().enqueue(new Send("kept"));
        await().until(() -> reasons(only, cancelled).contains(Kind.POLICY));

        only.admin().cancel(cancelled);
        open = true;

        await().until(() -> sent.contains("kept"));
        assertThat(sent).containsExactly("kept");
    }

    @Test
    void limitsAndPoliciesOfAQueueComeAndGoWithoutEachOther() {
        Rowlock only = node(request -> Admission.of(List.of()));
        only.start();
        long id = only.jobs().enqueue(new Send("held"));
        await().until(() -> reasons(only, id).contains(Kind.POLICY));
        assertThat(only.limits().all()).isEmpty();

        QueueLimit limit = QueueLimit.of("default").maxRunning(3);
        only.limits().set(limit);
        assertThat(only.limits().all()).containsExactly(limit);
        assertThat(only.limits().remove("default")).isTrue();

        assertThat(only.limits().remove("default")).isFalse();
        assertThat(only.limits().all()).isEmpty();
        assertThat(reasons(only, id)).contains(Kind.POLICY);
        assertThat(sent).isEmpty();
    }

    @Test
    void otherQueuesDoNotKnowOfIt() {
        Rowlock only = node(request -> Admission.of(List.of()));
        only.start();
        only.jobs().enqueue(new Send("held"));

        only.jobs().enqueue(new Other("free"));

        await().until(() -> sent.contains("free"));
        assertThat(sent).containsExactly("free");
    }

    @JobType(value = "other", queue = "other")
    record Other(String to) {}

    @Test
    void aQueueHasOnePolicy() {
        Rowlock two = rowlocks.built(builder().policy(policy(PoliciesTest::all)).policy(policy(PoliciesTest::all)));

        assertThatThrownBy(two::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queue 'default' has two policies");
    }

    private Rowlock node(Function<AdmissionRequest, Admission> decide) {
        return node(decide, PolicyTimes.DEFAULT);
    }

    private Rowlock node(Function<AdmissionRequest, Admission> decide, PolicyTimes times) {
        return rowlocks.built(builder().policy(policy(decide)).policyTimes(times));
    }

    private RowlockBuilder builder() {
        return Rowlocks.quick(database.dataSource())
                .listener(Send.class, (send, job) -> sent.add(send.to()))
                .listener(Rare.class, (rare, job) -> sent.add(rare.to()))
                .listener(Other.class, (other, job) -> sent.add(other.to()));
    }

    private static AdmissionPolicy policy(Function<AdmissionRequest, Admission> decide) {
        return new AdmissionPolicy() {
            @Override
            public String queue() {
                return "default";
            }

            @Override
            public Admission admit(AdmissionRequest request) {
                return decide.apply(request);
            }
        };
    }

    private static Admission all(AdmissionRequest request) {
        return Admission.of(request.jobs().stream()
                .limit(request.room())
                .map(WaitingJob::id)
                .toList());
    }

    private final AtomicInteger number = new AtomicInteger();

    private void enqueue(Rowlock rowlock, int jobs) {
        for (int i = 0; i < jobs; i++) {
            rowlock.jobs().enqueue(new Send("to " + number.incrementAndGet()));
        }
    }

    private static List<Kind> reasons(Rowlock rowlock, long id) {
        return rowlock.search().explain(id).orElseThrow().reasons().stream()
                .map(Reason::kind)
                .toList();
    }
}
