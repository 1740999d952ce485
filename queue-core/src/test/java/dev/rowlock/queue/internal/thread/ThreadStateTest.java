package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.jdbc.datasource.ConnectionHolder;
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
    void aLeftoverThatCannotBeRemovedKeepsNothingElseOnTheThread() {
        AtomicBoolean closed = new AtomicBoolean();
        TransactionSynchronizationManager.bindResource("a", new ConnectionHolder(connection(new AtomicBoolean())) {
            @Override
            public Connection getConnection() {
                throw new IllegalStateException("the session is closed");
            }
        });
        TransactionSynchronizationManager.bindResource("b", new ConnectionHolder(connection(closed)));
        leave(() -> {
            throw new NoClassDefFoundError("for a test");
        });
        MDC.put("customer", "alice");

        own.restore("a test");

        assertThat(closed).isTrue();
        assertThat(MDC.get("customer")).isNull();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    private static Connection connection(AtomicBoolean closed) {
        return (Connection) Proxy.newProxyInstance(
                ThreadStateTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    closed.compareAndSet(false, method.getName().equals("close"));
                    return method.getReturnType() == boolean.class ? true : null;
                });
    }

    @Test
    void removingLeftoversLeavesNoInterrupt() {
        leave(() -> Thread.currentThread().interrupt());

        own.restore("a test");

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
