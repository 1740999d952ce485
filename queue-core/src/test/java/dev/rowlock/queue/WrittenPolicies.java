package dev.rowlock.queue;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** Nodes with policies that a test writes as a function. */
@PostgresTest(migrated = true)
abstract class WrittenPolicies {

    @JobType("send")
    record Send(String to) {}

    record Rare(String to) {}

    static final Duration LATE = Duration.ofSeconds(30);

    static final PolicyTimes QUICK = PolicyTimes.DEFAULT.faster(10);

    final Rowlocks rowlocks = new Rowlocks();
    final Queue<String> sent = new ConcurrentLinkedQueue<>();
    final CountDownLatch mayEnd = new CountDownLatch(1);
    final TestDatabase database;
    volatile boolean open;

    WrittenPolicies(TestDatabase database) {
        Rooms.emptyIn(database);
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @JobType(value = "other", queue = "other")
    record Other(String to) {}

    Rowlock node(Function<AdmissionRequest, Admission> decide) {
        return node(decide, PolicyTimes.DEFAULT);
    }

    Rowlock node(Function<AdmissionRequest, Admission> decide, PolicyTimes times) {
        return rowlocks.built(builder().policy(policy(decide)).policyTimes(times));
    }

    RowlockBuilder builder() {
        return Rowlocks.quick(database.dataSource())
                .listener(Send.class, (send, job) -> sent.add(send.to()))
                .listener(Rare.class, (rare, job) -> sent.add(rare.to()))
                .listener(Other.class, (other, job) -> sent.add(other.to()));
    }

    static AdmissionPolicy policy(Function<AdmissionRequest, Admission> decide) {
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

    static Admission all(AdmissionRequest request) {
        return Admission.of(request.jobs().stream()
                .limit(request.room())
                .map(WaitingJob::id)
                .toList());
    }

    private final AtomicInteger number = new AtomicInteger();

    void enqueue(Rowlock rowlock, int jobs) {
        for (int i = 0; i < jobs; i++) {
            rowlock.jobs().enqueue(new Send("to " + number.incrementAndGet()));
        }
    }

    static List<Kind> reasons(Rowlock rowlock, long id) {
        return rowlock.search().explain(id).orElseThrow().reasons().stream()
                .map(Reason::kind)
                .toList();
    }
}
