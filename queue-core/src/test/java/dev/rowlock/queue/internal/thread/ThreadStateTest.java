package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class ThreadStateTest {

    private final ThreadState own = ThreadState.save();

    @AfterEach
    void clean() {
        TransactionSynchronizationManager.clear();
        Thread.interrupted();
    }

    private static void leave(Runnable callback) {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                callback.run();
            }
        });
    }

    @Test
    void leftoversAreRemovedWithTheLeftoverInterruptCleared() {
        AtomicBoolean interrupted = new AtomicBoolean(true);
        leave(() -> interrupted.set(Thread.currentThread().isInterrupted()));
        Thread.currentThread().interrupt();

        own.restore("a test");

        assertThat(interrupted).isFalse();
    }

    @Test
    void removingLeftoversLeavesNoInterrupt() {
        leave(() -> Thread.currentThread().interrupt());

        own.restore("a test");

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
