package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.MixedBacklog.Content;
import dev.rowlock.queue.MixedBacklog.Work;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Who must not wait beside a backlog in which everything is mixed, as in the queues of people. What a job must not wait for is counted in jobs that begin before it: a job that
 * would wait for the whole backlog would let ten times as many begin.
 */
@PostgresTest(freshPerTest = true, migrated = true)
class MixedBacklogsTest {

    private static final int KEYS = 300;
    private static final Content CONTENT = new Content(4_000, KEYS, 10, 4_000, 500, 500, 300, 50);

    /** What the node has claimed already, of both kinds, and what begins while it hears of the new job. */
    private static final int AT_ONCE = 700;

    /** Keys take turns, a new one is found within two rounds, and jobs without keys get as much as all keys together. */
    private static final int TWO_ROUNDS = 2 * 2 * (KEYS + 60) + AT_ONCE;

    private static final QueueLimit NO_RULE = QueueLimit.of("free");

    static final List<QueueLimit> RULES = List.of(
            NO_RULE,
            QueueLimit.of("keys").maxRunningPerKey(1),
            QueueLimit.of("order").inOrder(AfterFailure.HOLD));

    static final List<QueueLimit> MORE_RULES = List.of(
            QueueLimit.of("places").maxRunning(3),
            QueueLimit.of("lent").maxRunningPerKey(1).burstPerKey(3),
            QueueLimit.of("rates").ratePerKey(Rate.perHour(5).burst(5)));

    private static final String IDLE = "idle";
    private static final Duration SOON = Duration.ofMillis(20);

    private final MixedBacklog mixed;

    MixedBacklogsTest(TestDatabase database) {
        mixed = new MixedBacklog(database);
    }

    @AfterEach
    void close() throws Exception {
        mixed.close();
    }

    private Rowlock node(String queue) {
        return mixed.node(Duration.ofMillis(1), List.of(queue, IDLE), UnaryOperator.identity());
    }

    @ParameterizedTest(name = "{0}")
    @FieldSource("RULES")
    void nobodyWaitsForTheBacklogOfOthers(QueueLimit rule) {
        String queue = rule.queue();
        Rowlock node = node(queue);
        node.limits().set(rule);
        mixed.fill(queue, CONTENT);
        mixed.holdUp(node, rule);
        node.start();
        mixed.awaitBegun(queue, 300);

        Map<String, Integer> atMost = sendToOthers(node);
        atMost.putAll(sendUrgent(node, queue));
        atMost.putAll(sendToNewKeys(node, queue, TWO_ROUNDS));
        mixed.send(
                node,
                "urgent in the giant key",
                JobOptions.NONE.queue(queue).key("giant").priority(8));
        if (rule.ratePerKey() == null) { // the giant's permits are used up
            atMost.put("urgent in the giant key", TWO_ROUNDS);
        }

        assertThat(CONTENT.runnable()).isGreaterThan(4 * Collections.max(atMost.values()));
        assertBeginBefore(queue, atMost);
    }

    @LongRunning
    @ParameterizedTest(name = "{0}")
    @FieldSource("MORE_RULES")
    void nobodyWaitsForTheBacklogOfOthersUnderOtherRules(QueueLimit rule) {
        nobodyWaitsForTheBacklogOfOthers(rule);
    }

    @Test
    void aJobWithoutAKeyDoesNotWaitForJobsWithKeys() {
        Rowlock node = node("keyed");
        mixed.fill("keyed", new Content(4_000, KEYS, 10, 0, 0, 500, 300, 50));
        node.start();
        mixed.awaitBegun("keyed", 300);

        mixed.send(node, "without a key", JobOptions.NONE.queue("keyed"));

        assertBeginBefore("keyed", Map.of("without a key", AT_ONCE));
    }

    @Test
    void aJobWithAKeyDoesNotWaitForAGiantKeyAndJobsWithoutKeys() {
        Rowlock node = node("giant");
        mixed.fill("giant", new Content(4_000, 0, 0, 4_000, 0, 500, 300, 50));
        node.start();
        mixed.awaitBegun("giant", 300);

        assertBeginBefore("giant", sendToNewKeys(node, "giant", AT_ONCE));
    }

    @Test
    void aPolicyThatHasABacklogToChooseFromHoldsUpNeitherUrgentJobsNorOtherQueues() {
        AdmissionPolicy inTurn = new AdmissionPolicy() {
            @Override
            public String queue() {
                return "chosen";
            }

            @Override
            public Admission admit(AdmissionRequest request) {
                return Admission.of(request.jobs().stream()
                        .limit(request.room())
                        .map(WaitingJob::id)
                        .toList());
            }
        };
        Rowlock node = mixed.node(Duration.ofMillis(4), List.of("chosen", IDLE), builder -> builder.policy(inTurn));
        mixed.fill("chosen", CONTENT);
        node.start();
        mixed.awaitBegun("chosen", 300);

        Map<String, Integer> atMost = sendToOthers(node);
        atMost.putAll(sendUrgent(node, "chosen"));
        atMost.replaceAll((name, jobs) -> 3 * jobs); // what it has chosen already comes first

        assertBeginBefore("chosen", atMost);
    }

    /** Whatever the flood is, and however long its jobs run. */
    @Test
    void aQueueHasItsThreadsWhileAnotherOneIsFloodedWithJobsThatDoNotEnd() {
        Rowlock node = node("flooded");
        mixed.fill("flooded", new Content(0, 0, 0, 0, 500, 500, 300, 50));
        mixed.endless("flooded", 2_000);
        node.start();
        mixed.awaitBegun("flooded", MixedBacklog.THREADS);

        for (int i = 0; i < 100; i++) {
            mixed.send(node, "beside " + i, JobOptions.NONE.queue(IDLE).key("key-" + i % 10));
            mixed.send(node, "plain " + i, JobOptions.NONE.queue(IDLE));
        }

        mixed.awaitBegun(IDLE, 200);
    }

    private Map<String, Integer> sendToOthers(Rowlock node) {
        mixed.send(node, "of another queue", JobOptions.NONE.queue(IDLE));
        mixed.send(
                node, "of another queue, due later", JobOptions.NONE.queue(IDLE).delay(SOON));
        return new LinkedHashMap<>(Map.of("of another queue", AT_ONCE, "of another queue, due later", AT_ONCE));
    }

    private Map<String, Integer> sendUrgent(Rowlock node, String queue) {
        JobOptions urgent = JobOptions.NONE.queue(queue).priority(8);
        mixed.send(node, "urgent", urgent);
        mixed.send(node, "urgent, due later", urgent.delay(SOON));
        mixed.sent("step behind another");
        node.workflows()
                .start(Workflow.named("beside")
                        .step("first", new Work("step"), s -> s.job(o -> urgent))
                        .step(
                                "second",
                                new Work("step behind another"),
                                s -> s.after("first").job(o -> urgent)));
        return Map.of("urgent", AT_ONCE, "urgent, due later", AT_ONCE, "step behind another", 4 * AT_ONCE);
    }

    private Map<String, Integer> sendToNewKeys(Rowlock node, String queue, int atMost) {
        mixed.send(node, "of a new key", JobOptions.NONE.queue(queue).key("zone"));
        mixed.send(
                node,
                "of a new key, due later",
                JobOptions.NONE.queue(queue).key("zone later").delay(SOON));
        return Map.of("of a new key", atMost, "of a new key, due later", atMost);
    }

    private void assertBeginBefore(String queue, Map<String, Integer> atMost) {
        Map<String, Long> before = mixed.before(queue, atMost);
        assertThat(before).allSatisfy((name, jobs) -> assertThat(jobs).as(name).isLessThanOrEqualTo(atMost.get(name)));
        assertThat(mixed.neverBroken()).isTrue();
    }
}
