package dev.rowlock.queue.chaos.failover;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Enqueue without a pause, as an application does, and keep every answer. */
final class Callers implements AutoCloseable {

    private static final int THREADS = 4;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);
    /** So many jobs are short for one that is long. */
    private static final int SHORT = 40;

    /** Somebody was told that this job exists. */
    record Answer(long uid, long id, long nanos) {}

    private final HikariDataSource pool;
    private final Rowlock rowlock;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong lastUid = new AtomicLong();
    private final AtomicInteger failed = new AtomicInteger();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    Callers(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername("postgres");
        config.setMaximumPoolSize(THREADS + 1);
        config.setConnectionTimeout(3_000);
        config.addDataSourceProperty("socketTimeout", "15");
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool = new HikariDataSource(config);
        rowlock = Rowlock.builder(pool).schemaElsewhere().build();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(this::call, "caller-" + i);
            thread.start();
            threads.add(thread);
        }
    }

    private void call() {
        JobTemplate jobs = rowlock.jobs();
        while (!stopping) {
            long uid = lastUid.incrementAndGet();
            int millis = uid % SHORT == 0 ? 1_000 : 10;
            try {
                long id = jobs.enqueue(
                        uid % 2 == 0 ? new Work.Plain(uid, Act.SLEEP, millis) : new Work.Money(uid, Act.SLEEP, 10));
                answers.add(new Answer(uid, id, System.nanoTime()));
                Arena.last(PAUSE);
            } catch (RuntimeException e) {
                failed.incrementAndGet();
                Arena.last(AFTER_FAILURE);
            }
        }
    }

    List<Answer> answers() {
        return List.copyOf(answers);
    }

    /** Calls that were not answered: nobody knows what became of their jobs. */
    int failed() {
        return failed.get();
    }

    @Override
    public void close() {
        stopping = true;
        for (Thread thread : threads) {
            try {
                thread.join(Duration.ofSeconds(40).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        rowlock.close();
        pool.close();
    }
}
