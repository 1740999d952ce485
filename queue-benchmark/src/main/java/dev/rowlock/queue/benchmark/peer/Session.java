package dev.rowlock.queue.benchmark.peer;

import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.measure.ProcessCpu;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A peer at work on one database. Enqueuing is thread-safe; the rest is for one thread. */
public interface Session extends AutoCloseable {

    /** Enqueues one job in a transaction of its own. */
    void enqueue(Job job);

    /** Enqueues jobs in one transaction, where the peer can, as quickly as it can. */
    void enqueueAll(List<Job> jobs);

    /** Enqueues all that the stream yields in one transaction, if the peer has {@link Ability#STREAM}. */
    default void enqueueStream(Stream<Job> jobs) {
        throw new UnsupportedOperationException("this peer takes no streams");
    }

    /** Makes a recurring job that is due each second, and so many that are due once a day, if the peer has {@link Ability#RECURRING}. */
    default void recur(int others) {
        throw new UnsupportedOperationException("this peer knows no recurring jobs");
    }

    /** How long after their time the recurring jobs that have ended were claimed, in nanoseconds, oldest first. */
    default long[] lateness() {
        throw new UnsupportedOperationException("this peer knows no recurring jobs");
    }

    /**
     * Jobs that are enqueued from now on have one of so many keys by turns, as {@link Job#ofKeys} gives them, or none, and this rule holds for each key;
     * if the peer has what the rule {@link KeyRule#needs}. Called at most once, before the first enqueue.
     */
    default void rule(KeyRule rule, int keys) {
        throw new UnsupportedOperationException("this peer knows no keys");
    }

    /**
     * Enqueues jobs in one transaction, of which each runs after the one before it, in chains of this length; 0: all at once, as one batch whose
     * progress is counted. If the peer has {@link Ability#WORKFLOWS} for chains, {@link Ability#BATCHES} for a batch.
     */
    default void enqueueChains(List<Job> jobs, int length) {
        throw new UnsupportedOperationException("this peer knows no workflows");
    }

    /** Starts to run jobs: each calls the probe. */
    void startWorkers(Crew crew, Probe probe);

    /**
     * Starts to run jobs each of which writes one row into the table {@code effect (seq bigint PRIMARY KEY, text text)}, and calls the probe:
     * in one transaction with the end of the job where the peer can, if it has {@link Ability#EFFECTS}.
     *
     * @param batch the most jobs of one call and one transaction; more than 1 needs {@link Ability#CHUNKS}
     */
    default void startWriters(Crew crew, Probe probe, int batch) {
        throw new UnsupportedOperationException("this peer's jobs write nothing");
    }

    /** Stops cleanly. Does nothing if nobody works. */
    void stopWorkers();

    /** Whether all jobs that were due and all workflows have ended, for the database too. Asked once all of them have run. */
    boolean drained();

    /** Processor time of the process that runs the jobs. */
    default Duration clientCpu() {
        return ProcessCpu.own().alone();
    }

    /** Stops and lets go of all connections. */
    @Override
    void close();
}
