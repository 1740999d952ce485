package dev.rowlock.queue;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;

/** What a test has built, closed in reverse order. */
final class Rowlocks implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Polls often and retries soon, so that no test waits long. */
    static RowlockBuilder quick(DataSource pool) {
        return Rowlock.builder(pool)
                .keepAlive(false)
                .lease(new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofMillis(200), 3))
                .retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxRetries(3))
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withFetch(new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100)));
    }

    Rowlock built(RowlockBuilder builder) {
        return opened(builder.build());
    }

    Rowlock started(RowlockBuilder builder) {
        Rowlock rowlock = built(builder);
        rowlock.start();
        return rowlock;
    }

    /** Closes this too, before what was opened earlier. */
    <T extends AutoCloseable> T opened(T one) {
        opened.push(one);
        return one;
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }
}
