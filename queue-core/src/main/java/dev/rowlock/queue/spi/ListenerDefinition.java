package dev.rowlock.queue.spi;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One listener: the type that it handles, where, and how. Immutable; start from {@link #of} and add what differs:
 * {@code ListenerDefinition.of("send-mail", handler).queue("mail").timeout(Duration.ofMinutes(1))}.
 */
public final class ListenerDefinition {

    /** More handlers at once in one process are a slip of units. */
    public static final int MAX_CONCURRENCY = 10_000;

    private final String id;
    private final @Nullable Boolean autoStartup;
    private final String name;
    private final String queue;
    private final String type;
    private final List<String> formerTypes;
    private final @Nullable Integer concurrency;
    private final @Nullable Duration timeout;
    private final RetryStrategy retry;
    private final Set<Class<? extends Throwable>> noRetryFor;
    private final boolean transactional;
    private final @Nullable Transactions transactions;
    private final boolean keepResult;
    private final @Nullable Chunking chunking;
    private final @Nullable Type payload;
    private final @Nullable UnaryOperator<QueueLimit> limit;
    private final @Nullable DeadJobHandler onDead;
    private final JobHandler handler;

    private ListenerDefinition(Draft draft) {
        this.id = draft.id;
        this.autoStartup = draft.autoStartup;
        this.name = draft.name;
        this.queue = Names.queue(draft.queue);
        this.type = Names.type(draft.type);
        this.formerTypes =
                draft.formerTypes.stream().map(Names::type).distinct().toList();
        this.concurrency = draft.concurrency;
        this.timeout = draft.timeout;
        this.retry = draft.retry;
        this.noRetryFor = Set.copyOf(draft.noRetryFor);
        this.transactional = draft.transactional;
        this.transactions = draft.transactions;
        this.keepResult = draft.keepResult;
        this.chunking = draft.chunking;
        this.payload = draft.payload;
        this.limit = draft.limit;
        this.onDead = draft.onDead;
        this.handler = draft.handler;
        if (concurrency != null && (concurrency < 1 || concurrency > MAX_CONCURRENCY)) {
            throw new IllegalArgumentException(
                    "concurrency %d must lie between 1 and %d".formatted(concurrency, MAX_CONCURRENCY));
        }
        if (timeout != null) {
            JobOptions.validTimeout(timeout);
        }
    }

    /** A listener of the queue {@code default} with {@link RetryPolicy#DEFAULT}, without a timeout. */
    public static ListenerDefinition of(String type, JobHandler handler) {
        return new ListenerDefinition(new Draft(type, handler));
    }

    /**
     * As {@link #of}, for code that runs many jobs in one call: up to {@link #batch}, those that come within {@link #linger}. It
     * keeps the results that it names.
     */
    public static ListenerDefinition ofChunks(String type, ChunkHandler handler) {
        Draft draft = new Draft(type, new ChunkOfOne(handler));
        draft.chunking = new Chunking(handler, Chunking.DEFAULT_BATCH, Chunking.DEFAULT_LINGER);
        draft.keepResult = true;
        return new ListenerDefinition(draft);
    }

    /** By what it is started and stopped at run time. Default: the type. */
    public ListenerDefinition id(String unique) {
        return with(draft -> draft.id = unique);
    }

    /** Whether it begins to run jobs without being asked to; null for the default. */
    public ListenerDefinition autoStartup(@Nullable Boolean startsItself) {
        return with(draft -> draft.autoStartup = startsItself);
    }

    /** For messages and logs, such as {@code Mailer.send(SendMail)}. Default: the type. */
    public ListenerDefinition name(String forPeople) {
        return with(draft -> draft.name = forPeople);
    }

    /** The queue that it listens to. */
    public ListenerDefinition queue(String listensTo) {
        return with(draft -> draft.queue = listensTo);
    }

    /** Names under which its jobs were stored before: it takes those as well. */
    public ListenerDefinition formerTypes(Collection<String> names) {
        return with(draft -> draft.formerTypes = names);
    }

    /** How many jobs of its queue this node may run at once; null for the default. */
    public ListenerDefinition concurrency(@Nullable Integer jobs) {
        return with(draft -> draft.concurrency = jobs);
    }

    /** How long an attempt may take before it is interrupted; null for no limit. */
    public ListenerDefinition timeout(@Nullable Duration limit) {
        return with(draft -> draft.timeout = limit);
    }

    /** When jobs run again after a failed attempt: a {@link RetryPolicy}, or a strategy of one's own. */
    public ListenerDefinition retry(RetryStrategy strategy) {
        return with(draft -> draft.retry = strategy);
    }

    /** Exceptions after which trying again is pointless, subclasses included, also where one is the cause of what was thrown. */
    public ListenerDefinition noRetryFor(Collection<Class<? extends Throwable>> exceptions) {
        return with(draft -> draft.noRetryFor = exceptions);
    }

    /** Whether the job completes inside the handler's own transaction. */
    public ListenerDefinition transactional(boolean inTransaction) {
        return with(draft -> draft.transactional = inTransaction);
    }

    /** Runs the transaction of a {@link #transactional} listener; null for the node's. */
    public ListenerDefinition transactions(@Nullable Transactions own) {
        return with(draft -> draft.transactions = own);
    }

    /** The most jobs of one call, 2 to 10,000, of a listener that runs chunks; 100 by default. */
    public ListenerDefinition batch(int jobs) {
        Chunking before = requireChunking("batch");
        return with(draft -> draft.chunking = new Chunking(before.handler(), jobs, before.linger()));
    }

    /** How long the first job of a call waits for others, up to 10 s, of a listener that runs chunks; 10 ms by default. */
    public ListenerDefinition linger(Duration longest) {
        Chunking before = requireChunking("linger");
        return with(draft -> draft.chunking = new Chunking(before.handler(), before.batch(), longest));
    }

    private Chunking requireChunking(String what) {
        if (chunking == null) {
            throw new IllegalArgumentException(
                    "%s is for listeners that run chunks, and %s runs one job at a time: see ofChunks and chunkListener"
                            .formatted(what, name));
        }
        return chunking;
    }

    /** Whether what the handler returns is kept as the job's result, as JSON. A listener of chunks keeps the results it names. */
    public ListenerDefinition keepResult(boolean keep) {
        if (chunking != null && !keep) {
            throw new IllegalArgumentException(
                    "%s runs chunks, and keeps the results that its ChunkResult names: name none".formatted(name));
        }
        return with(draft -> draft.keepResult = keep);
    }

    /** What its payloads are decoded to; null, the default: nobody but the handler knows. Edited payloads are checked against it. */
    public ListenerDefinition payload(@Nullable Type decodedTo) {
        return with(draft -> draft.payload = decodedTo);
    }

    /**
     * What limits its queue over all nodes: {@code o -> o.queue("mail").limit(l -> l.maxRunning(10))}; null, the default: it says nothing. Other
     * listeners of the queue say the same or nothing.
     */
    public ListenerDefinition limit(@Nullable UnaryOperator<QueueLimit> ofQueue) {
        return with(draft -> draft.limit = ofQueue);
    }

    /**
     * Runs once for each of its jobs that dies: failed for good, or quarantined. As a job of its own, of the type {@code <type>.dead}, in the same queue,
     * with the node's retries, and with this listener's timeout and transactions. Null, the default: nothing runs.
     */
    public ListenerDefinition onDead(@Nullable DeadJobHandler told) {
        return with(draft -> draft.onDead = told);
    }

    private ListenerDefinition with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new ListenerDefinition(draft);
    }

    public String id() {
        return id;
    }

    public @Nullable Boolean autoStartup() {
        return autoStartup;
    }

    public String name() {
        return name;
    }

    public String queue() {
        return queue;
    }

    /** The logical name of the payloads that it takes. */
    public String type() {
        return type;
    }

    /** {@link #type}, and those that it was called before. */
    public List<String> types() {
        return Stream.concat(Stream.of(type), formerTypes.stream()).distinct().toList();
    }

    public @Nullable Integer concurrency() {
        return concurrency;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public RetryStrategy retry() {
        return retry;
    }

    public Set<Class<? extends Throwable>> noRetryFor() {
        return noRetryFor;
    }

    public boolean transactional() {
        return transactional;
    }

    public @Nullable Transactions transactions() {
        return transactions;
    }

    public boolean keepResult() {
        return keepResult;
    }

    /** How it runs many jobs in one call; null if it runs one at a time. */
    public @Nullable Chunking chunking() {
        return chunking;
    }

    public @Nullable Type payload() {
        return payload;
    }

    /** What it says about its queue; null: nothing. */
    public @Nullable QueueLimit limit() {
        return limit == null ? null : limit.apply(QueueLimit.of(queue));
    }

    public @Nullable DeadJobHandler onDead() {
        return onDead;
    }

    /** Runs one job; of a listener that runs chunks, as a chunk by itself. */
    public JobHandler handler() {
        return handler;
    }

    @Override
    public String toString() {
        return "listener %s of queue '%s' for type '%s'".formatted(name, queue, type);
    }

    /** A definition that is being changed. */
    private static final class Draft {

        private final String type;
        private final JobHandler handler;
        private String id;
        private @Nullable Boolean autoStartup;
        private String name;
        private String queue = Names.DEFAULT_QUEUE;
        private Collection<String> formerTypes = List.of();
        private @Nullable Integer concurrency;
        private @Nullable Duration timeout;
        private RetryStrategy retry = RetryPolicy.DEFAULT;
        private Collection<Class<? extends Throwable>> noRetryFor = Set.of();
        private boolean transactional;
        private @Nullable Transactions transactions;
        private boolean keepResult;
        private @Nullable Chunking chunking;
        private @Nullable Type payload;
        private @Nullable UnaryOperator<QueueLimit> limit;
        private @Nullable DeadJobHandler onDead;

        Draft(String type, JobHandler handler) {
            this.type = type;
            this.handler = handler;
            this.id = type;
            this.name = type;
        }

        Draft(ListenerDefinition from) {
            this(from.type, from.handler);
            id = from.id;
            autoStartup = from.autoStartup;
            name = from.name;
            queue = from.queue;
            formerTypes = from.formerTypes;
            concurrency = from.concurrency;
            timeout = from.timeout;
            retry = from.retry;
            noRetryFor = from.noRetryFor;
            transactional = from.transactional;
            transactions = from.transactions;
            keepResult = from.keepResult;
            chunking = from.chunking;
            payload = from.payload;
            limit = from.limit;
            onDead = from.onDead;
        }
    }
}
