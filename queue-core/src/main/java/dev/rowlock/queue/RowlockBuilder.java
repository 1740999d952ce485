package dev.rowlock.queue;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.internal.run.DeclaredListener;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.QueuePatterns;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.settings.SearchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.ChunkPayloadHandler;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadHandler;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Puts a {@link Rowlock} together. Every setting has the default that Spring Boot's properties have. The order of calls does
 * not matter, except among listeners, observers, interceptors and redactors. Not thread-safe.
 */
public final class RowlockBuilder {

    private final RowlockSettings settings;

    RowlockBuilder(DataSource dataSource) {
        this.settings = new RowlockSettings(dataSource);
    }

    /**
     * Makes the queue, and prepares its tables unless told otherwise. May be called again: another queue, which shares
     * nothing with this one.
     *
     * @throws IllegalArgumentException if a setting is not allowed
     */
    public Rowlock build() {
        Rowlock rowlock = new Rowlock(settings.copy());
        rowlock.prepareSchema(settings.onBuild);
        return rowlock;
    }

    // Tables

    /**
     * The schema that holds the tables; {@code rowlock} by default.
     *
     * @throws IllegalArgumentException if that is no name for a schema
     */
    public RowlockBuilder schema(String name) {
        settings.schema = new Schema(name).name();
        return this;
    }

    /** What {@link #build} does about the tables; by default it makes or upgrades them. */
    public RowlockBuilder schemaOnBuild(SchemaMode mode) {
        settings.onBuild = mode;
        settings.onStart = null;
        return this;
    }

    /** What {@link Rowlock#start} does about the tables, instead of {@link #build}, which then does not touch the database. */
    public RowlockBuilder schemaOnStart(SchemaMode mode) {
        settings.onBuild = null;
        settings.onStart = mode;
        return this;
    }

    /** Somebody else has prepared the tables: neither {@link #build} nor {@link Rowlock#start} looks at them. */
    public RowlockBuilder schemaElsewhere() {
        settings.onBuild = null;
        settings.onStart = null;
        return this;
    }

    // Listeners

    /** Runs jobs of this class by this code: {@code listener(SendMail.class, (mail, job) -> mailer.send(mail))}. */
    public <P> RowlockBuilder listener(Class<P> payload, PayloadHandler<? super P> handler) {
        return listener(payload, options -> options, handler);
    }

    /** As {@link #listener(Class, PayloadHandler)} with options: {@code o -> o.queue("mail").concurrency(4)}. */
    public <P> RowlockBuilder listener(
            Class<P> payload, UnaryOperator<ListenerDefinition> options, PayloadHandler<? super P> handler) {
        return listener(
                JobTypes.typeOf(payload),
                payload,
                listener -> options.apply(listener.formerTypes(JobTypes.formerTypesOf(payload))),
                handler);
    }

    /** Runs jobs of a type that has another name than the class gives its jobs. */
    public <P> RowlockBuilder listener(String type, Class<P> payload, PayloadHandler<? super P> handler) {
        return listener(type, payload, options -> options, handler);
    }

    /** As {@link #listener(String, Class, PayloadHandler)} with options. */
    public <P> RowlockBuilder listener(
            String type,
            Class<P> payload,
            UnaryOperator<ListenerDefinition> options,
            PayloadHandler<? super P> handler) {
        String declared = JobTypes.declaredQueueOf(payload);
        return listeners(DeclaredListener.of(
                type, declared != null ? declared : JobTemplate.DEFAULT_QUEUE, payload, options, handler));
    }

    /**
     * Runs up to 100 jobs of this class in one call: {@code chunkListener(IndexDocument.class, jobs -> index.bulk(jobs))}.
     */
    public <P> RowlockBuilder chunkListener(Class<P> payload, ChunkPayloadHandler<P> handler) {
        return chunkListener(payload, options -> options, handler);
    }

    /** The same with options: {@code o -> o.batch(500).linger(Duration.ofMillis(50))}. */
    public <P> RowlockBuilder chunkListener(
            Class<P> payload, UnaryOperator<ListenerDefinition> options, ChunkPayloadHandler<P> handler) {
        String declared = JobTypes.declaredQueueOf(payload);
        return listeners(DeclaredListener.ofChunks(
                JobTypes.typeOf(payload),
                declared != null ? declared : JobTemplate.DEFAULT_QUEUE,
                payload,
                listener -> options.apply(listener.formerTypes(JobTypes.formerTypesOf(payload))),
                handler));
    }

    /** A listener that reads its payloads by itself. */
    public RowlockBuilder listener(ListenerDefinition listener) {
        return listeners(DeclaredListener.of(listener));
    }

    /** Further listeners, such as annotated objects: see {@link dev.rowlock.queue.spring.AnnotatedListeners}. */
    public RowlockBuilder listeners(ListenerSource more) {
        settings.listeners.add(more);
        return this;
    }

    /** {@link Rowlock#start} runs no jobs, whatever listeners there are; the queues of their jobs are known all the same. */
    public RowlockBuilder enqueueOnly() {
        settings.runsJobs = false;
        return this;
    }

    /** An observer hears what happens to jobs here. */
    public RowlockBuilder observer(JobObserver more) {
        return observers(() -> List.of(more));
    }

    /** Observers that are asked for when jobs are about to be run for the first time: they may themselves need the queue. */
    public RowlockBuilder observers(Supplier<? extends Collection<? extends JobObserver>> more) {
        settings.observers.add(more);
        return this;
    }

    /** Wraps the handlers of all listeners; the first one stands outside. */
    public RowlockBuilder interceptor(JobInterceptor more) {
        return interceptors(() -> List.of(more));
    }

    /** Interceptors that are asked for when jobs are about to be run for the first time. */
    public RowlockBuilder interceptors(Supplier<? extends Collection<? extends JobInterceptor>> more) {
        settings.interceptors.add(more);
        return this;
    }

    /** Wraps calls that enqueue; asked for at the first such call. */
    public RowlockBuilder enqueueInterceptors(Supplier<? extends Collection<? extends EnqueueInterceptor>> more) {
        settings.enqueueInterceptors.add(more);
        return this;
    }

    /** Surrounds attempts; asked for when jobs are about to be run for the first time. */
    public RowlockBuilder attemptInterceptors(Supplier<? extends Collection<? extends AttemptInterceptor>> more) {
        settings.attemptInterceptors.add(more);
        return this;
    }

    /** Takes out of errors what must not be stored or logged. */
    public RowlockBuilder redactor(ErrorRedactor more) {
        return redactors(() -> List.of(more));
    }

    /** Redactors that are asked for when jobs are about to be run for the first time. */
    public RowlockBuilder redactors(Supplier<? extends Collection<? extends ErrorRedactor>> more) {
        settings.redactors.add(more);
        return this;
    }

    // Recurring jobs

    /** Declares a recurring job: nodes enqueue its jobs as long as any of them declares it. */
    public RowlockBuilder recurring(RecurringJob job) {
        return recurring(() -> List.of(job));
    }

    /** Recurring jobs that are asked for when jobs are about to be run for the first time. */
    public RowlockBuilder recurring(Supplier<? extends Collection<RecurringJob>> more) {
        settings.recurring.add(more);
        return this;
    }

    /** Whether this process, while it runs jobs, enqueues those of recurring jobs and declares its own; true by default. */
    public RowlockBuilder schedulesRecurring(boolean enabled) {
        settings.schedulesRecurring = enabled;
        return this;
    }

    /** How many jobs of a queue may run at once over all nodes; what {@link Rowlock#limits} sets at run time wins. */
    public RowlockBuilder limit(QueueLimit limit) {
        settings.limits.put(limit.queue(), limit);
        return this;
    }

    /** Decides which jobs of its queue become ready next: see {@link AdmissionPolicy}. */
    public RowlockBuilder policy(AdmissionPolicy policy) {
        return policies(() -> List.of(policy));
    }

    /** The same of several, asked for when jobs begin to run. Two for one queue fail the start. */
    public RowlockBuilder policies(Supplier<? extends Collection<? extends AdmissionPolicy>> more) {
        settings.policies.add(more);
        return this;
    }

    RowlockBuilder policyTimes(PolicyTimes times) {
        settings.policyTimes = times;
        return this;
    }

    // How jobs run

    /** Which queues this process runs jobs of; all by default. Jobs of the others can be enqueued all the same. */
    public RowlockBuilder queues(QueuePatterns run) {
        settings.queues = run;
        return this;
    }

    /** The queue of jobs of types that no listener here takes and that name none themselves; {@code default}. */
    public RowlockBuilder defaultQueue(String name) {
        settings.defaultQueue = Names.queue(name);
        return this;
    }

    /** The queue that {@link #defaultQueue(String)} has named. */
    public String defaultQueue() {
        return settings.defaultQueue;
    }

    /** Whether listeners that say nothing run jobs as soon as the node does; otherwise {@link Rowlock#listener} starts them. */
    public RowlockBuilder autoStartup(boolean enabled) {
        settings.autoStartup = enabled;
        return this;
    }

    public RowlockBuilder worker(WorkerSettings worker) {
        settings.worker = worker;
        return this;
    }

    public RowlockBuilder lease(LeaseSettings lease) {
        settings.lease = lease;
        return this;
    }

    public RowlockBuilder retention(RetentionSettings retention) {
        settings.retention = retention;
        return this;
    }

    /** How searches treat the database. */
    public RowlockBuilder search(SearchSettings search) {
        settings.search = search;
        return this;
    }

    /** When the {@link Rowlock#doctor doctor's} verdict calls a queue late; after five minutes by default. */
    public RowlockBuilder lateAfter(LateAfter times) {
        settings.lateAfter = times;
        return this;
    }

    /** When jobs run again after a failed attempt, where neither listener nor job says. */
    public RowlockBuilder retry(RetryPolicy policy) {
        settings.retry = policy;
        return this;
    }

    /** What {@link #retry(RetryPolicy)} has said. */
    public RetryPolicy retry() {
        return settings.retry;
    }

    /** How payloads, results and checkpoints become JSON; by a {@link JacksonPayloadCodec} with Rowlock's own mapper unless told otherwise. */
    public RowlockBuilder codec(PayloadCodec payloads) {
        settings.codec = payloads;
        return this;
    }

    /** What {@link #codec(PayloadCodec)} has said. */
    public PayloadCodec codec() {
        return settings.codec;
    }

    /**
     * Encrypts payloads, results, checkpoints and errors in the tables by these keys; not by default. What lies there in clear text stays readable.
     * {@link #build} tries the current key.
     */
    public RowlockBuilder encryption(EncryptionKeys keys) {
        settings.encryptionKeys = keys;
        return this;
    }

    /** The largest payload, and the largest result, as JSON in UTF-8; 1 MB by default. */
    public RowlockBuilder maxPayload(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("max-payload %d must be at least 1 byte".formatted(bytes));
        }
        settings.maxPayloadBytes = bytes;
        return this;
    }

    /** Whether nodes wake one another by NOTIFY; where that cannot be, polling does everything. */
    public RowlockBuilder notifications(boolean enabled) {
        settings.notifications = enabled;
        return this;
    }

    /** Whether the process keeps running as long as it runs jobs, even if nothing else keeps it; true by default. */
    public RowlockBuilder keepAlive(boolean enabled) {
        settings.keepAlive = enabled;
        return this;
    }

    // Connections and transactions

    /**
     * Opens a new connection each time, outside any pool: for the heartbeat, because an exhausted pool must not look like a
     * death, and for hearing notifications. By default they keep two connections of the pool.
     */
    public RowlockBuilder unpooled(DataSource connections) {
        settings.unpooled = connections;
        return this;
    }

    /**
     * The transactions of transactional listeners, on the same DataSource. By default those of a {@link
     * JdbcTransactionManager}.
     */
    public RowlockBuilder transactions(TransactionOperations ofListeners) {
        return transactions(() -> ofListeners);
    }

    /**
     * The same, asked for when jobs are about to be run for the first time: what makes them may itself need the queue. Null
     * refuses transactional listeners.
     */
    public RowlockBuilder transactions(Supplier<? extends @Nullable TransactionOperations> ofListeners) {
        settings.transactions = ofListeners;
        return this;
    }
}
