package dev.rowlock.queue;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.dead.DeadJobListeners;
import dev.rowlock.queue.internal.doctor.Examination;
import dev.rowlock.queue.internal.enqueue.EnqueueInterceptors;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.internal.gate.StoredQueueLimits;
import dev.rowlock.queue.internal.node.QueueConcurrency;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.operate.PayloadRules;
import dev.rowlock.queue.internal.result.StoredJobResults;
import dev.rowlock.queue.internal.run.ListenerTransactions;
import dev.rowlock.queue.internal.run.Listeners;
import dev.rowlock.queue.internal.schedule.ScheduleRow;
import dev.rowlock.queue.internal.schedule.StoredRecurringJobs;
import dev.rowlock.queue.internal.thread.KeepAlive;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.StoredWorkflows;
import dev.rowlock.queue.internal.workflow.StoredWorkflows.EndFutures;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.ManualNode;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.workflow.Workflows;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A job queue in one schema of one database: enqueues, operates and searches jobs, and runs those of its listeners. Made
 * by {@link #builder}; with Spring Boot the auto-configuration does that. Several of them live in one process and share
 * nothing. Thread-safe.
 *
 * <pre>{@code
 * try (Rowlock rowlock = Rowlock.builder(dataSource)
 *         .listener(SendMail.class, (mail, job) -> mailer.send(mail))
 *         .build()) {
 *     rowlock.start();
 *     rowlock.jobs().enqueue(new SendMail("ada@example.com"));
 *     …
 * }
 * }</pre>
 */
public final class Rowlock implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Rowlock.class);

    private static final Duration LOOK = Duration.ofMillis(10);

    private final RowlockSettings settings;
    private final Database database;
    private final Listeners listeners; // switched under the monitor
    private final EnqueueInterceptors enqueueInterceptors;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private final RecurringJobs recurring;
    private final StoredJobResults results;
    private final Doctor doctor;
    private final @Nullable Notifier notifier;
    private final WakeupBus wakeups;
    private final KeepAlive alive = new KeepAlive(); // guarded by this
    private volatile @Nullable WorkerNode node; // made at the first start; written under the monitor
    private @Nullable TransactionOperations transactions; // as the node; guarded by this
    private boolean running; // guarded by this
    private boolean closed; // guarded by this

    /** {@code settings} is not changed any more. */
    Rowlock(RowlockSettings settings) {
        this.settings = settings;
        this.database = new Database(
                settings.dataSource,
                new Schema(settings.schema),
                settings.encryptionKeys == null ? Encryption.NONE : Encryption.by(settings.encryptionKeys));
        this.listeners = new Listeners(
                settings.listeners.stream()
                        .<ListenerSource>map(source -> new DeadJobListeners(source, database.encryption()))
                        .toList(),
                settings.codec,
                settings.retry,
                settings.autoStartup);
        this.notifier = settings.notifications ? new Notifier(new SendWakeup(database)) : null;
        this.wakeups = new WakeupBus(notifier != null ? notifier : Wakeups.NONE);
        this.enqueueInterceptors = new EnqueueInterceptors(() -> all(settings.enqueueInterceptors));
        this.jobs = new JobTemplate(
                database, settings.codec, settings.maxPayloadBytes, this::queueOf, wakeups, enqueueInterceptors);
        this.admin = new JobAdmin(
                database, wakeups, new PayloadRules(settings.codec, settings.maxPayloadBytes, this::payloadOf));
        this.search = new JobSearch(database, settings.search);
        this.recurring = new StoredRecurringJobs(database, wakeups, this::scheduleRow);
        this.results = new StoredJobResults(database, settings.codec, wakeups);
        this.doctor = Examination.ofNode(
                database, this::status, settings.lateAfter, settings.unpooled, settings.notifications);
    }

    /** Begins to put a queue together: everything but the DataSource, of PostgreSQL, has a default. */
    public static RowlockBuilder builder(DataSource dataSource) {
        return new RowlockBuilder(dataSource);
    }

    /** Enqueues jobs, before and after {@link #start} as well. */
    public JobTemplate jobs() {
        return jobs;
    }

    /** The controls of operators. */
    public JobAdmin admin() {
        return admin;
    }

    /** Looks at jobs. */
    public JobSearch search() {
        return search;
    }

    /** How many jobs of a queue, and of a key, may run at once. */
    public QueueLimits limits() {
        return new StoredQueueLimits(database, new AfterCommit(database, wakeups));
    }

    /** Makes, changes and watches recurring jobs. */
    public RecurringJobs recurringJobs() {
        return recurring;
    }

    /** Starts workflows and batches, and tells how they do. */
    public Workflows workflows() {
        EndFutures ends = new EndFutures() {
            @Override
            public CompletableFuture<?> await(long workflow) {
                return results.awaitWorkflow(workflow);
            }

            @Override
            public void leave(long workflow, CompletableFuture<?> end) {
                results.leaveWorkflow(workflow, end);
            }
        };
        return new StoredWorkflows(
                database,
                wakeups,
                settings.codec,
                enqueueInterceptors,
                (payload, options, amend) -> {
                    JobRequest request = JobRequest.from(payload, options);
                    return jobs.newJob(new JobRequest(request.payload(), amend.apply(request.options())));
                },
                ends);
    }

    /** Waits for jobs and reads their results. */
    public JobResults results() {
        return results;
    }

    /** Examines the database for causes that hold up the queue, before and after {@link #start} as well. */
    public Doctor doctor() {
        return doctor;
    }

    private ScheduleRow scheduleRow(RecurringJob job) {
        return new ScheduleRow(job, jobs.newJob(new JobRequest(job.payload(), job.options())));
    }

    /** How the part that runs jobs is doing now. */
    public NodeStatus status() {
        WorkerNode now = node;
        return now == null ? WorkerNode.STOPPED : now.status();
    }

    /** The DataSource that holds the jobs; not a proxy that takes part in transactions, but what lies behind it. */
    public DataSource dataSource() {
        return database.dataSource();
    }

    /** The schema that holds the tables. */
    public String schema() {
        return database.schema().name();
    }

    /**
     * The listeners that there are now.
     *
     * @throws dev.rowlock.queue.spi.DuplicateJobListenerException if two of them take the same type
     */
    public List<ListenerDefinition> listeners() {
        return listeners.all();
    }

    /**
     * Starts and stops the listener with this id.
     *
     * @throws IllegalArgumentException if there is none
     */
    public ListenerHandle listener(String id) {
        List<ListenerDefinition> all = listeners.all();
        return all.stream()
                .filter(listener -> listener.id().equals(id))
                .findAny()
                .map(listener -> new ListenerHandle(this, listener))
                .orElseThrow(() -> new IllegalArgumentException("there is no listener '%s'; there are %s"
                        .formatted(id, all.stream().map(ListenerDefinition::id).toList())));
    }

    synchronized boolean runs(ListenerDefinition listener) {
        return running && node != null && selected(listener) && listeners.on(listener);
    }

    synchronized void turn(ListenerDefinition listener, boolean on) {
        if (on && !selected(listener)) {
            throw new IllegalStateException(
                    "%s listens to queue '%s', whose jobs this deployment does not run: it runs %s"
                            .formatted(listener.name(), listener.queue(), settings.queues.patterns()));
        }
        if (listeners.turn(listener, on)) {
            WorkerNode worker = node;
            if (worker != null) {
                worker.leave(listeners.typesOff(listeners.all()));
            }
            log.info("listener '{}' is {}", listener.id(), on ? "started" : "stopped: its jobs stay ready");
        }
    }

    boolean awaitIdle(ListenerDefinition listener, Duration longest) throws InterruptedException {
        WorkerNode worker = node;
        return worker == null
                || new TimeBudget(longest)
                        .await(() -> listener.types().stream().noneMatch(type -> worker.busy(type) > 0), LOOK);
    }

    private String queueOf(String type) {
        String listened = listeners.queueOf(type);
        return listened != null ? listened : settings.defaultQueue;
    }

    private @Nullable Type payloadOf(String type) {
        return listeners.all().stream()
                .filter(listener -> listener.types().contains(type))
                .findAny()
                .map(ListenerDefinition::payload)
                .orElse(null);
    }

    /** Whether this deployment runs jobs of its queue. */
    private boolean selected(ListenerDefinition listener) {
        return settings.queues.matches(listener.queue());
    }

    /** The listeners whose jobs this deployment runs. */
    private List<ListenerDefinition> run() {
        return listeners.all().stream().filter(this::selected).toList();
    }

    /**
     * The queues that are run here, each with how many of its jobs run at once.
     *
     * @throws IllegalArgumentException if listeners of one queue disagree and no setting decides
     */
    public Map<String, Integer> queues() {
        Map<String, Integer> queues = new TreeMap<>();
        run().stream()
                .collect(Collectors.groupingBy(ListenerDefinition::queue))
                .forEach((queue, own) -> queues.put(queue, QueueConcurrency.of(queue, own, settings.worker)));
        return queues;
    }

    /**
     * Runs the jobs of the listeners from now on, until {@link #stop}; does nothing if it does already. Returns at once: the
     * work begins as soon as the database answers. Without listeners, or if it is to {@linkplain
     * RowlockBuilder#enqueueOnly() enqueue only}, it runs nothing.
     *
     * @throws IllegalArgumentException if the listeners contradict each other
     * @throws IllegalStateException if a listener cannot work, or after {@link #close}
     */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("this Rowlock is closed: build another one");
        }
        if (!running) {
            prepareSchema(settings.onStart);
            startNode(settings.runsJobs ? run() : List.of());
            running = true;
        }
    }

    private void startNode(List<ListenerDefinition> all) {
        if (all.isEmpty()) {
            log.info("there is no listener: this application enqueues jobs and runs none");
            warnOfRecurring();
            return;
        }
        WorkerNode worker = node;
        if (worker == null) {
            worker = newNode();
            node = worker;
        }
        ListenerTransactions.require(all, transactions, database);
        worker.leave(listeners.typesOff(all));
        worker.start(all);
        if (settings.keepAlive) {
            alive.start();
        }
    }

    private void warnOfRecurring() {
        List<RecurringJob> declared = all(settings.recurring);
        if (!declared.isEmpty() && settings.schedulesRecurring) {
            log.warn(
                    "this application declares recurring jobs and runs no jobs, so it does not enqueue them: declare them in one that has listeners; {}",
                    declared.stream().map(RecurringJob::name).toList());
        }
    }

    private WorkerNode newNode() {
        transactions = settings.transactions.get();
        return new NodeFactory(settings, database, wakeups, this::scheduleRow, results.observer())
                .make(DeclareLimits.of(settings.limits, run()), this::run, queues(), transactions);
    }

    /**
     * Runs the jobs of the listeners on the calling thread, when that says so: for tests. Close it after use.
     *
     * @throws IllegalStateException while this Rowlock runs jobs by itself
     */
    public synchronized ManualNode manualNode() {
        if (running && node != null) {
            throw new IllegalStateException(
                    "this Rowlock runs its jobs by itself: stop it, or let it only enqueue (rowlock.worker.enabled=false)");
        }
        List<ListenerDefinition> run = run();
        List<String> queues =
                run.stream().map(ListenerDefinition::queue).distinct().toList();
        return new NodeFactory(settings, database.nesting(), wakeups, this::scheduleRow, results.observer())
                .makeManual(DeclareLimits.of(settings.limits, run), run, queues, settings.transactions.get());
    }

    static <T> List<T> all(List<? extends Supplier<? extends Collection<? extends T>>> some) {
        List<T> all = new ArrayList<>();
        some.forEach(more -> all.addAll(more.get()));
        return all;
    }

    /**
     * Stops running jobs: takes no more, lets handlers finish within the drain timeout, then interrupts them. What is left
     * goes back at no cost in attempts. May be started again.
     */
    public synchronized void stop() {
        if (running) {
            try {
                if (node != null) {
                    node.stop();
                }
            } finally {
                alive.stop();
                running = false;
            }
        }
    }

    /** Stops, for good. The DataSource stays open. */
    @Override
    public synchronized void close() {
        stop();
        closed = true;
        results.close();
        if (notifier != null) {
            notifier.close();
        }
    }

    void prepareSchema(@Nullable SchemaMode mode) {
        if (mode != null) {
            new SchemaMigrator(database.dataSource(), schema(), mode).run();
        }
    }
}
