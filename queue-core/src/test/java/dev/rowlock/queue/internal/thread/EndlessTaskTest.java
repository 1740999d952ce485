package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndlessTaskTest {

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicBoolean fails = new AtomicBoolean(true);
    private final CountDownLatch ended = new CountDownLatch(1);
    private EndlessTask lasting = new EndlessTask("rowlock-test", () -> {});
    private Thread thread = new Thread();

    @AfterEach
    void end() throws InterruptedException {
        lasting.end();
        ended.countDown();
        thread.join(10_000);
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void aLoopThatThrowsBeginsAnewWhateverItThrows() {
        start(() -> {
            throw new OutOfMemoryError("for a test");
        });

        awaitBegun(2);
    }

    @Test
    void aLoopBeginsAnewThoughItsErrorCannotBeLogged() {
        start(() -> {
            throw new Untellable();
        });

        awaitBegun(3);
    }

    @Test
    void aLoopThatReturnsUnaskedBeginsAnew() {
        start(() -> {});

        awaitBegun(2);
    }

    @Test
    void aLeftoverInterruptDoesNotMakeALoopSpin() {
        start(() -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("for a test");
        });

        awaitBegun(3);
        assertThat(begun).hasValueLessThan(10);
    }

    @Test
    void onlyALoopThatCannotGoOnIsTroubled() {
        assertThat(lasting.troubled()).isFalse();
        start(() -> {
            throw new IllegalStateException("for a test");
        });
        Awaitility.await().until(lasting::troubled);
        assertThat(begun).hasValueGreaterThanOrEqualTo(3);
    }

    @Test
    void oneErrorIsNoTrouble() {
        start(() -> {
            fails.set(false);
            throw new IllegalStateException("for a test");
        });

        awaitBegun(2);
        assertThat(lasting.troubled()).isFalse();
    }

    @Test
    void tellNeverThrows() {
        EndlessTask.tell(() -> {
            throw new OutOfMemoryError("for a test");
        });
    }

    private void start(Runnable failure) {
        lasting = new EndlessTask("rowlock-test", () -> {
            begun.incrementAndGet();
            if (fails.get()) {
                failure.run();
            } else {
                awaitEnd();
            }
        });
        thread = lasting.thread();
        thread.start();
    }

    private void awaitEnd() {
        while (ended.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void awaitBegun(int times) {
        Awaitility.await().until(() -> begun.get() >= times);
    }

    /** Whoever looks at it fails. */
    private static final class Untellable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("for a test");
        }

        @Override
        public String toString() {
            throw new OutOfMemoryError("for a test");
        }
    }
}
