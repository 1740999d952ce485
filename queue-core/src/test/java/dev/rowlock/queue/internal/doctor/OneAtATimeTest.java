package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Evidence;
import dev.rowlock.queue.doctor.Finding.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OneAtATimeTest {

    private static final Finding FINE =
            new Finding("fine", Status.OK, "All is well.", new Evidence("", List.of()), null);

    @Test
    void whoComesMeanwhileGetsTheFindingsOfTheExaminationThatRuns() throws Exception {
        AtomicInteger examinations = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        Doctor doctor = new OneAtATime(() -> {
            examinations.incrementAndGet();
            awaitQuietly(end);
            return List.of(FINE);
        });

        List<Thread> threads = new ArrayList<>();
        List<FutureTask<List<Finding>>> answers = new ArrayList<>();
        for (int caller = 0; caller < 5; caller++) {
            FutureTask<List<Finding>> answer = new FutureTask<>(doctor::examine);
            Thread thread = new Thread(answer);
            thread.start();
            threads.add(thread);
            answers.add(answer);
        }
        await().until(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        end.countDown();

        for (FutureTask<List<Finding>> answer : answers) {
            assertThat(answer.get()).containsExactly(FINE);
        }
        assertThat(examinations).hasValue(1);
        assertThat(doctor.examine()).containsExactly(FINE);
        assertThat(examinations).hasValue(2);
    }

    @Test
    void anExaminationThatFailsDoesNotStopTheNextOne() {
        AtomicInteger examinations = new AtomicInteger();
        Doctor doctor = new OneAtATime(() -> {
            if (examinations.incrementAndGet() == 1) {
                throw new IllegalStateException("out of memory");
            }
            return List.of(FINE);
        });

        assertThatThrownBy(doctor::examine).hasMessage("out of memory");

        assertThat(doctor.examine()).containsExactly(FINE);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
