package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Policies of queues that have limits, too. */
class PoliciesWithLimitsTest extends WrittenPolicies {

    PoliciesWithLimitsTest(TestDatabase database) {
        super(database);
    }

    @Test
    void limitsOfTheQueueHoldForWhatThePolicyChooses() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Rowlock node = rowlocks.built(Rowlocks.quick(database.dataSource())
                    .limit(QueueLimit.of("default").maxRunning(2))
                    .policy(policy(WrittenPolicies::all))
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

        await().atMost(LATE).until(() -> sent.size() == 200);
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
                    .policy(policy(WrittenPolicies::all))
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

        await().atMost(LATE).until(() -> sent.size() == 200);
        assertThat(sent).doesNotHaveDuplicates();
        assertThat(most).hasValue(1);
    }

    @Test
    void aKeyThatIsFullKeepsNoOtherJobFromThePolicy() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Rowlock only = rowlocks.started(Rowlocks.quick(database.dataSource())
                .limit(QueueLimit.of("default").maxRunningPerKey(1))
                .policy(policy(WrittenPolicies::all))
                .policyTimes(QUICK)
                .listener(Send.class, (send, job) -> {
                    if (send.to().equals("long")) {
                        begun.countDown();
                        mayEnd.await();
                    }
                    sent.add(send.to());
                }));
        only.jobs().enqueue(new Send("long"), o -> o.key("full"));
        begun.await();
        IntStream.range(0, 8).forEach(i -> only.jobs().enqueue(new Send("behind " + i), o -> o.key("full")));

        only.jobs().enqueue(new Send("other"));

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
}
