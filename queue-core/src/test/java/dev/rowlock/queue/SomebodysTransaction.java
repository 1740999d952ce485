package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of somebody else, on another thread: it has done its work, and stays open until it is committed or closed. */
final class SomebodysTransaction implements AutoCloseable {

    private final CountDownLatch worked = new CountDownLatch(1);
    private final CountDownLatch commit = new CountDownLatch(1);
    private final CompletableFuture<Void> thread;

    /** Returns once the work is done. */
    SomebodysTransaction(DataSource dataSource, Runnable work) throws InterruptedException {
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        thread = CompletableFuture.runAsync(() -> transaction.executeWithoutResult(status -> {
            work.run();
            worked.countDown();
            awaitCommit();
        }));
        assertThat(worked.await(1, TimeUnit.MINUTES)).as("its work is done").isTrue();
    }

    private void awaitCommit() {
        try {
            commit.await(2, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isOpen() {
        return !thread.isDone();
    }

    void commit() throws Exception {
        commit.countDown();
        thread.get(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        commit.countDown();
    }
}
