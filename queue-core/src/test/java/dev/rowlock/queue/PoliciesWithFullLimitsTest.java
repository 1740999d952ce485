package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A policy chooses for a queue whose limit is full. */
@PostgresTest(freshPerTest = true, migrated = true)
class PoliciesWithFullLimitsTest {

    private static final int THREADS = 4;

    record Send(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger again = new AtomicInteger();
    private final TestDatabase database;

    PoliciesWithFullLimitsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        rowlocks.close();
    }

    @Test
    void itChoosesNoMoreThanThereAreThreads() {
        Rowlock node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .limit(QueueLimit.of("default").maxRunning(1))
                .policy(new Eager())
                .policyTimes(PolicyTimes.DEFAULT.faster(10))
                .listener(Send.class, (send, job) -> mayEnd.await(1, TimeUnit.MINUTES)));
        node.jobs().enqueueAll(IntStream.range(0, 16).mapToObj(Send::new).toList());

        node.start();

        await().until(() -> again.get() > THREADS);
        assertThat(most).hasValueLessThanOrEqualTo(THREADS);
    }

    /** Chooses what it is shown. */
    private final class Eager implements AdmissionPolicy {

        private final Set<Long> chosen = new HashSet<>();

        @Override
        public String queue() {
            return "default";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            most.accumulateAndGet(request.room() + request.chosen(), Math::max);
            List<Long> next = request.jobs().stream()
                    .limit(request.room())
                    .map(WaitingJob::id)
                    .toList();
            next.stream().filter(id -> !chosen.add(id)).forEach(id -> again.incrementAndGet());
            return Admission.of(next);
        }
    }
}
