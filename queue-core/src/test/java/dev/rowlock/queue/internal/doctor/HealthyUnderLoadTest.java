package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A doctor who names causes that are not there is not called a second time. */
@PostgresTest(freshPerTest = true, migrated = true)
class HealthyUnderLoadTest {

    private static final Set<Status> FINE = EnumSet.of(Status.OK, Status.INFO, Status.SKIPPED);
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(2);
    private static final int BATCH = 200;

    private final TestDatabase test;

    HealthyUnderLoadTest(TestDatabase test) {
        this.test = test;
        Rooms.emptyIn(test);
    }

    record Step(int number) {}

    @Test
    void aNodeThatWorksThroughJobsSomeOfWhichFailGivesNoFinding() {
        AtomicInteger done = new AtomicInteger();
        int examinations = 0;
        try (Rowlock rowlock = Rowlock.builder(test.dataSource())
                .listener(Step.class, (step, job) -> {
                    if (step.number() % 100 == 0 && job.attempt() == 1) {
                        throw new IllegalStateException("the first try of each hundredth fails");
                    }
                    done.incrementAndGet();
                })
                .build()) {
            rowlock.start();
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < LONG_ENOUGH.toNanos() || done.get() < 2 * BATCH) {
                rowlock.jobs()
                        .enqueueAll(
                                IntStream.range(0, BATCH).mapToObj(Step::new).toList());

                List<Finding> findings = rowlock.doctor().examine();

                examinations++;
                assertThat(findings)
                        .allSatisfy(finding -> assertThat(finding.status())
                                .as(finding.toString())
                                .isIn(FINE));
            }
        }
        assertThat(examinations).isGreaterThan(1);
    }
}
