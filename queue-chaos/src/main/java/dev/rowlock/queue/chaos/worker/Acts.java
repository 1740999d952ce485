package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.SnoozeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What handlers do, as their payload says. */
final class Acts {

    private final DataSource pool;
    private final JdbcClient sql;
    private final TransactionTemplate transaction;

    Acts(DataSource pool) {
        this.pool = pool;
        this.sql = JdbcClient.create(pool);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
    }

    /** Whether a step fails, the token decides: another one each attempt. */
    private void count(JobContext context, int number) throws InterruptedException {
        int done = context.checkpoint(Integer.class).orElse(0);
        while (done < number) {
            int step = done + 1;
            transaction.executeWithoutResult(status -> {
                sql.sql("INSERT INTO step (job, number, token) VALUES (?, ?, ?)")
                        .params(context.id(), step, context.claimToken())
                        .update();
                context.saveCheckpoint(step);
            });
            done = step;
            pause(50);
            if (done < number && (context.claimToken() + done) % 4 == 0) {
                throw new SnoozeException(Duration.ofMillis(20));
            }
        }
    }

    /** Does it, and returns the job's result. */
    @Nullable
    Object play(JobContext context, Act act, int number) throws Exception {
        if (act == Act.NONSENSE) {
            return Oddities.nonsense(number);
        }
        perform(context, act, number);
        return context.attempt();
    }

    private void perform(JobContext context, Act act, int number) throws Exception {
        switch (act) {
            case SLEEP -> pause(number);
            case COUNT -> count(context, number);
            case RETRY -> {
                if (context.attempt() <= number) {
                    throw new IllegalStateException("attempt " + context.attempt() + " fails");
                }
            }
            case MEND -> {
                if (context.errors().isEmpty()) {
                    throw new IllegalArgumentException("not before it is redriven");
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
            case ODD -> throw Oddities.failure(number);
            case LEAVE -> Traces.leave(number);
            case PROGRESS -> {
                for (int i = 1; i <= number; i++) {
                    context.progress(i, "step " + i);
                }
            }
            case NONSENSE -> throw new IllegalArgumentException("says what it returns, not what it does");
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
            for (int i = 0; i < Connections.POOL; i++) {
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
