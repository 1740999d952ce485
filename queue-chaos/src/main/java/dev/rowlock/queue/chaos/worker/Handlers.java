package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The listeners of the load. Each call is logged before and after, whatever happens in between. */
final class Handlers {

    /** Quick, so that a run sees many retries; with jitter, as in life. */
    static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(200), 2, Duration.ofSeconds(2), 0.2);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final DataSource pool;
    private final JdbcClient sql;
    private final ActionLog log;

    Handlers(DataSource pool, ActionLog log) {
        this.pool = pool;
        this.sql = JdbcClient.create(pool);
        this.log = log;
    }

    /** @param fresh whether this is the version of the application that knows the new type */
    List<ListenerDefinition> listeners(int concurrency, boolean fresh) {
        List<ListenerDefinition> listeners = new ArrayList<>(List.of(
                listener("default", "plain", concurrency, false),
                listener("default", "money", concurrency, true),
                listener("poison", "poison", 1, false)));
        if (fresh) {
            listeners.add(listener("default", "fresh", concurrency, false));
        }
        return listeners;
    }

    private ListenerDefinition listener(String queue, String type, int concurrency, boolean transactional) {
        return new ListenerDefinition(
                type,
                queue,
                type,
                concurrency,
                null,
                RETRY,
                Set.of(),
                transactional,
                (context, payload) -> handle(context, JSON.readTree(payload), transactional));
    }

    private @Nullable Object handle(JobContext context, JsonNode payload, boolean transactional) throws Exception {
        log.start(
                context.id(), context.claimToken(), payload.get("uid").asLong(), context.attempt(), context.crashes());
        String how = "killed";
        try {
            if (transactional) {
                sql.sql("INSERT INTO effect (uid, job, token) VALUES (?, ?, ?)")
                        .params(payload.get("uid").asLong(), context.id(), context.claimToken())
                        .update();
            }
            act(
                    context,
                    Act.valueOf(payload.get("act").asString()),
                    payload.get("number").asInt());
            how = "returned";
            return context.attempt();
        } catch (Throwable e) {
            how = e.getClass().getSimpleName();
            throw e;
        } finally {
            log.end(context.id(), context.claimToken(), how);
        }
    }

    private void act(JobContext context, Act act, int number) throws Exception {
        switch (act) {
            case SLEEP -> pause(number);
            case RETRY -> {
                if (context.attempt() <= number) {
                    throw new IllegalStateException("attempt " + context.attempt() + " fails");
                }
            }
            case FAIL -> throw new IllegalArgumentException("never");
            case SNOOZE -> {
                if (context.claimToken() % number != 0) {
                    throw new SnoozeException(Duration.ofMillis(100));
                }
            }
            case ERROR -> {
                if (context.attempt() == 1) {
                    throw new StackOverflowError("as if");
                }
            }
            case IGNORE -> ignoreInterrupts(number);
            case SIT -> new CountDownLatch(1).await();
            case HOG -> hog(number);
            case EXHAUST -> exhaust(number);
            case HALT -> Runtime.getRuntime().halt(7);
            case EXIT -> System.exit(8);
        }
    }

    private static void pause(int millis) throws InterruptedException {
        if (millis > 0) {
            new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        }
    }

    private static void ignoreInterrupts(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        while (end - System.nanoTime() > 0) {
            try {
                pause((int) Math.max(1, (end - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                Thread.interrupted(); // that is what this act is about
            }
        }
    }

    private static void exhaust(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        List<byte[]> hoard = new ArrayList<>();
        OutOfMemoryError refusal = null;
        while (refusal == null || end - System.nanoTime() > 0) {
            try {
                hoard.add(new byte[32 << 10]);
            } catch (OutOfMemoryError e) {
                refusal = e;
                LockSupport.parkNanos(1_000_000);
            }
        }
        hoard.clear();
        throw refusal;
    }

    /** As an application does that takes a second connection where it holds one. */
    private void hog(int millis) throws SQLException, InterruptedException {
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < WorkerMain.POOL; i++) {
                taken.add(pool.getConnection());
            }
            pause(millis);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }
}
