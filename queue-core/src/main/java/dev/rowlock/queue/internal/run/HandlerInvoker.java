package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.ClaimedRow;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What all calls of listeners ({@link Call}) of a node share; runs single jobs. Changes nothing in the database, unless the handler does.
 */
public final class HandlerInvoker {

    /**
     * What a handler and its context need to act on their job.
     *
     * @param longestWait no handler begins later than this after the claim; part of each claim's deadline
     */
    public record Services(
            Database database,
            ClaimStatements claims,
            OutcomeStatements outcomes,
            EnsureDonePartitions partitions,
            Deadlines deadlines,
            Duration longestWait,
            Results results,
            PayloadCodec codec,
            Extensions.JobLines log) {}

    private static final Logger log = LoggerFactory.getLogger(HandlerInvoker.class);

    /** How long a job waits where the partition cannot be made that its transaction needs. */
    private static final Due WITHOUT_PARTITION = Due.after(Duration.ofSeconds(5));

    final Services services;
    final Failures failures;
    final BeginFailures beginFailures;
    final FailureLog failureLog = new FailureLog();
    final Interceptors interceptors;
    final ListenerTransactions transactions;
    private final Map<String, ListenerDefinition> listeners = new HashMap<>();
    private final UnknownTypes unknownTypes = new UnknownTypes();

    /** @param transactions for transactional listeners; null if there are none */
    public HandlerInvoker(
            List<ListenerDefinition> listeners,
            Services services,
            Extensions extensions,
            @Nullable TransactionOperations transactions) {
        listeners.forEach(listener -> listener.types().forEach(type -> this.listeners.put(type, listener)));
        this.services = services;
        this.failures = new Failures(extensions.redactors(), extensions.slowDowns(), this::inClearText);
        this.beginFailures = new BeginFailures(failures::loggable);
        this.interceptors = new Interceptors(extensions);
        this.transactions = new ListenerTransactions(transactions);
    }

    /** Whether the claim still stands, by the database. Not if that cannot be known. */
    public boolean holds(Execution execution) {
        try {
            return services.claims().errors(execution.job().claim()).isPresent();
        } catch (DataAccessException e) {
            log.debug("checking the claim of {} failed; its handler does not start", execution.job(), e);
            return false;
        }
    }

    /** Whether this node has a listener for the job. */
    public boolean knows(ClaimedJob job) {
        return listeners.containsKey(job.type());
    }

    /** Runs the job on the calling thread. Never throws. The handler leaves no trace on it. */
    public Outcome run(Execution execution) {
        ListenerDefinition listener = listeners.get(execution.job().type());
        if (listener == null) {
            return unknownTypes.putAside(execution.job(), System.nanoTime());
        }
        CalledJob entry = new CalledJob(execution);
        Call.ofOne(listener, this, entry).make();
        return Objects.requireNonNull(entry.outcome);
    }

    /** What becomes of a job that could not begin. */
    Outcome notBegun(Execution execution, Throwable thrown) {
        return execution.stopped() == Execution.Stop.NONE
                ? beginFailures.failed(execution.job(), thrown, System.nanoTime())
                : Failures.notStarted(execution.stopped());
    }

    /** The JSON in clear text, read now if it was too large to come with its claim. */
    String payload(Execution execution) {
        return services.database()
                .encryption()
                .open(Part.PAYLOAD, execution.job().type(), storedPayload(execution));
    }

    /** With the payload that its listener reads; without one where that cannot be had. */
    private ClaimedJob inClearText(ClaimedJob job) {
        String payload = job.payload();
        if (payload == null || !Encryption.isSealed(payload) || !(job instanceof ClaimedRow row)) {
            return job;
        }
        try {
            return row.withPayload(services.database().encryption().open(Part.PAYLOAD, job.type(), payload));
        } catch (RuntimeException e) {
            return job.withoutPayload();
        }
    }

    private String storedPayload(Execution execution) {
        String payload = execution.job().payload();
        if (payload != null) {
            return payload;
        }
        return services.claims().payload(execution.job().claim()).orElseThrow(() -> {
            execution.stop(Execution.Stop.CLAIM_LOST);
            return new ClaimLostException(execution.job().claim());
        });
    }

    /** How long its handler may take; null for no limit. */
    static @Nullable Duration timeout(ClaimedJob job, ListenerDefinition listener) {
        return job.timeout() != null ? job.timeout() : listener.timeout();
    }

    /**
     * Makes the partition of done without which a transaction could not complete its job. What the handler wrote is rolled back, so the job
     * runs again, at no cost in attempts.
     */
    Outcome withoutPartition(ClaimedJob job, Execution.Stop stopped) {
        try {
            services.partitions().makeMissing();
            return Failures.notStarted(stopped);
        } catch (RuntimeException e) {
            log.warn("creating the partition of done for today failed; {} waits", job, e);
            return new Outcome.Snoozed(WITHOUT_PARTITION, "done has no partition for today");
        }
    }
}
