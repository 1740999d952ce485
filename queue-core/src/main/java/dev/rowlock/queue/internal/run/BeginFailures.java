package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Jobs that cannot begin: their payload cannot be read, or their transaction cannot begin. Each waits at least a second, and
 * about as long as the trouble has lasted, up to a minute: that of its listener, none of whose jobs has begun since, or its own.
 * Thread-safe.
 */
final class BeginFailures {

    private static final Logger log = LoggerFactory.getLogger(BeginFailures.class);

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** So far apart are the lines of a listener. */
    private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

    /** So many jobs are remembered; of more, those that failed first are forgotten. */
    private static final int MOST_JOBS = 1_000;

    private final BiFunction<ClaimedJob, Throwable, JobError> loggable;
    private final Map<String, Trouble> listeners = new HashMap<>(); // guarded by this; by type
    private final Map<Long, Long> jobs = new LinkedHashMap<>(); // guarded by this; by id, since when
    private volatile boolean any; // written under the monitor: whether a job or listener is in trouble

    /** @param loggable what may be logged of an exception; it may quote what the application keeps secret */
    public BeginFailures(BiFunction<ClaimedJob, Throwable, JobError> loggable) {
        this.loggable = loggable;
    }

    /** Whether what was thrown says that a job may begin the next time: it was stopped, or the database or the memory is to blame. */
    public static boolean notReady(Throwable thrown) {
        return thrown instanceof RollBack
                || thrown instanceof DataAccessException
                || thrown instanceof TransactionException
                || thrown instanceof VirtualMachineError;
    }

    /** The job has begun. Costs next to nothing where all do. */
    public void begun(ClaimedJob job) {
        if (any) {
            end(job);
        }
    }

    private synchronized void end(ClaimedJob job) {
        jobs.remove(job.id());
        Trouble trouble = listeners.get(job.type());
        if (trouble != null) {
            trouble.lasting = false;
        }
        any = !jobs.isEmpty() || listeners.values().stream().anyMatch(other -> other.lasting);
    }

    /** What becomes of a job that could not begin. No attempt was made, so none is charged. */
    public Outcome failed(ClaimedJob job, Throwable failure, long now) {
        Duration wait;
        long told = 0; // of how many times a line tells; 0: there is none
        synchronized (this) {
            any = true;
            Trouble trouble = listeners.computeIfAbsent(job.type(), type -> new Trouble(now));
            if (!trouble.lasting) {
                trouble.lasting = true;
                trouble.since = now;
            }
            trouble.untold++;
            wait = wait(job.id(), trouble, now);
            if (now - trouble.toldAt >= TELL_AGAIN.toNanos()) {
                told = trouble.untold;
                trouble.untold = 0;
                trouble.toldAt = now;
            }
        }
        if (told > 0) {
            tell(job, failure, wait, told);
        }
        return new Outcome.SetAside(Due.after(wait));
    }

    private Duration wait(long id, Trouble trouble, long now) {
        long own = jobs.computeIfAbsent(id, job -> now);
        if (jobs.size() > MOST_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
        long lasted = Math.min(LONGEST.toNanos(), Math.max(now - own, now - trouble.since));
        long half = lasted / 2;
        return Duration.ofNanos(
                Math.max(SHORTEST.toNanos(), half + ThreadLocalRandom.current().nextLong(half + 1)));
    }

    private void tell(ClaimedJob job, Throwable failure, Duration wait, long count) {
        JobError error = loggable.apply(job, failure);
        EndlessTask.tell(() -> log.warn(
                "{} could not begin: its payload cannot be read, or its transaction cannot begin; it waits for {} ms and keeps its"
                        + " attempt ({} times for jobs of type '{}' since the last such line): {}: {}\n{}",
                job,
                wait.toMillis(),
                count,
                job.type(),
                error.type(),
                error.message(),
                error.trace()));
    }

    /** The transaction must not commit: a job was stopped before its handler began, or is not to be completed with the others. */
    static final class RollBack extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RollBack(String why) {
            super(why, null, false, false);
        }
    }

    /** Of a listener. Times are monotonic. */
    private static final class Trouble {

        private boolean lasting;
        private long since;
        private long untold;
        private long toldAt;

        Trouble(long now) {
            toldAt = now - TELL_AGAIN.toNanos();
        }
    }
}
