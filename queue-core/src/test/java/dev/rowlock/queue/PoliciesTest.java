package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Policies of an application, over two nodes. */
class PoliciesTest extends WrittenPolicies {

    PoliciesTest(TestDatabase database) {
        super(database);
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
    void otherQueuesDoNotKnowOfIt() {
        Rowlock only = node(request -> Admission.of(List.of()));
        only.start();
        only.jobs().enqueue(new Send("held"));

        only.jobs().enqueue(new Other("free"));

        await().until(() -> sent.contains("free"));
        assertThat(sent).containsExactly("free");
    }

    @Test
    void aQueueHasOnePolicy() {
        Rowlock two =
                rowlocks.built(builder().policy(policy(WrittenPolicies::all)).policy(policy(WrittenPolicies::all)));

        assertThatThrownBy(two::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queue 'default' has two policies");
    }
}
