package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.Workflows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueues as an application does, and writes down what it was told. Thread-safe. */
public final class Producer implements AutoCloseable {

    /** How long a job is asked for, and the pause in between. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Longer than clocks ever step: who asks again must meet the job of the first time. */
    private static final Duration HELD = Duration.ofDays(300);

    private static final String DISK_FULL = "53100";

    private final boolean notifies;
    private final List<Rowlock> opened = new ArrayList<>();
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final Recurrences recurrences;
    private final Operators operators;
    private final Drafts drafts;
    private final Awaits awaits;
    private final Rules rules;
    private final Questions questions;
    private final Workflows workflows;
    private final TransactionTemplate transactions;
    private final AtomicLong lastUid = new AtomicLong();
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();

    /** @param notifies whether workers are told of jobs; they also look by themselves */
    public Producer(DataSource dataSource, boolean notifies) {
        this.notifies = notifies;
        Rowlock rowlock = open(dataSource);
        this.jobs = rowlock.jobs();
        this.admin = rowlock.admin();
        this.recurrences = new Recurrences(rowlock.recurringJobs());
        this.operators = new Operators(rowlock.admin());
        this.drafts = new Drafts(jobs);
        this.awaits = new Awaits(rowlock.results());
        this.rules = new Rules(rowlock.limits());
        this.questions = new Questions(rowlock.search(), dataSource);
        this.workflows = rowlock.workflows();
        this.transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
    }

    /** As this producer does, by another DataSource of the same database. Closed together with the producer. */
    JobTemplate jobs(DataSource other) {
        return open(other).jobs();
    }

    private Rowlock open(DataSource dataSource) {
        Rowlock rowlock = Rowlock.builder(dataSource)
                .schemaElsewhere()
                .notifications(notifies)
                .build();
        opened.add(rowlock);
        return rowlock;
    }

    @Override
    public void close() {
        opened.forEach(Rowlock::close);
    }

    public long nextUid() {
        return lastUid.incrementAndGet();
    }

    /** The recurring jobs that it makes. */
    public Recurrences recurrences() {
        return recurrences;
    }

    /** Those who pause, redrive and change jobs. */
    public Operators operators() {
        return operators;
    }

    /** Those who set limits and change them. */
    Rules rules() {
        return rules;
    }

    /** Those who ask why jobs wait. */
    public Questions questions() {
        return questions;
    }

    /** Requests that change jobs by their keys. */
    public Drafts drafts() {
        return drafts;
    }

    /** Who waits for some of the jobs. */
    public Awaits awaits() {
        return awaits;
    }

    /** Everything that was asked for so far. */
    public List<Told> told() {
        return List.copyOf(told);
    }

    /** One job, without a transaction of the caller. Returns its id; 0 if nobody knows. */
    public long enqueue(Work work, JobOptions options) {
        try {
            long id = jobs.enqueue(work, options);
            note(work, id, Fate.COMMITTED, options, "alone");
            if (!(work instanceof Work.Steered)) { // which may end more than once
                awaits.enqueued(id);
            }
            return id;
        } catch (RuntimeException e) {
            // Written and committed in one call: nobody outside can tell which of them failed, unless the server says
            // so.
            boolean full = DISK_FULL.equals(sqlState(e));
            note(work, 0, full ? Fate.ROLLED_BACK : Fate.UNKNOWN, options, "alone");
            return 0;
        }
    }

    /**
     * One job under a unique key, asked for again until the answer arrives: then it is certain, whatever became of the
     * calls before. Returns its id; 0 if the database was away for too long.
     */
    public long enqueueUnique(Work work, JobOptions options) {
        UniqueKey key = UniqueKey.of("uid-" + work.uid()).atLeast(HELD);
        long begun = System.nanoTime();
        do {
            try {
                long id = jobs.enqueueUnique(work, key, options).id();
                note(work, id, Fate.COMMITTED, options, "unique");
                return id;
            } catch (RuntimeException e) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } while (System.nanoTime() - begun < TIMEOUT.toNanos());
        note(work, 0, Fate.UNKNOWN, options, "unique");
        return 0;
    }

    /** Several jobs in one transaction, with one statement. */
    public void enqueueAll(List<? extends Work> work, JobOptions options, boolean commit) {
        long[] ids = new long[work.size()];
        boolean[] written = {false};
        Fate fate = commit ? Fate.COMMITTED : Fate.ROLLED_BACK;
        try {
            transactions.executeWithoutResult(status -> {
                System.arraycopy(jobs.enqueueAll(work, options), 0, ids, 0, ids.length);
                written[0] = true;
                if (!commit) {
                    status.setRollbackOnly();
                }
            });
        } catch (RuntimeException e) {
            fate = commit && written[0] ? Fate.UNKNOWN : Fate.ROLLED_BACK;
        }
        for (int i = 0; i < ids.length; i++) {
            note(work.get(i), fate == Fate.UNKNOWN ? 0 : ids[i], fate, options, "many");
        }
    }

    /** A workflow of this shape. */
    public void linked(Shape shape, List<Work.Linked> six) {
        long[] ids = new long[six.size()];
        List<JobOptions> options =
                six.stream().map(work -> options(shape, work)).toList();
        Fate fate;
        try {
            long workflow = workflows.start(shape.workflow(IntStream.range(0, six.size())
                    .mapToObj(i -> new JobRequest(six.get(i), options.get(i)))
                    .toList()));
            Recurrences.persistently(() -> System.arraycopy(
                    Shape.steps().stream()
                            .flatMap(step -> workflows.jobs(workflow, step, 0, Shape.JOBS).stream())
                            .mapToLong(WorkflowJob::id)
                            .toArray(),
                    0,
                    ids,
                    0,
                    ids.length));
            fate = Fate.COMMITTED;
        } catch (RuntimeException e) {
            // Written and committed in one call: see enqueue.
            fate = DISK_FULL.equals(sqlState(e)) ? Fate.ROLLED_BACK : Fate.UNKNOWN;
        }
        for (int i = 0; i < ids.length; i++) {
            note(six.get(i), ids[i], fate, options.get(i), shape.way(six.get(0).uid(), i));
        }
    }

    /** Where steps wait for a redrive, operators redrive whatever fails there. */
    private static JobOptions options(Shape shape, Work.Linked work) {
        JobOptions options = JobOptions.NONE;
        if (shape == Shape.HELD || work.act() == Act.MEND) {
            options = options.header(Operators.MENDS, "yes");
        }
        return work.act() == Act.MEND ? options.maxRetries(0) : options;
    }

    /** Asks to cancel; whether that works is not this side's to know if the database is away. */
    public void cancel(long id) {
        try {
            admin.cancel(id);
        } catch (RuntimeException e) {
            // The database is away or the job moves too fast: it may go on, and then ends as itself.
        }
    }

    private static String sqlState(RuntimeException e) {
        return NestedExceptionUtils.getMostSpecificCause(e) instanceof SQLException sql
                ? String.valueOf(sql.getSQLState())
                : "";
    }

    void note(Work work, long id, Fate fate, JobOptions options, String way) {
        String type = JobTypes.typeOf(work.getClass());
        told.add(new Told(work.uid(), id, fate, type, work.act(), work.number(), options, way));
    }
}
