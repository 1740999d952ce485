package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.run.QueueWorker.SkippedTypes;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** What the threads of a queue do with each job that they take: whether it may begin, its attempt, its outcome. Thread-safe. */
final class JobRuns implements Workplace {

    private static final Logger log = LoggerFactory.getLogger(JobRuns.class);

    static final Outcome RELEASED = new Outcome.Released();

    /** Of a job whose last handler still runs on this node, or that met an error of Rowlock's own. */
    static final Outcome ASIDE = new Outcome.SetAside(Due.after(Duration.ofSeconds(5)));

    private final QueueWorker worker;
    private final QueueWorker.Shared node;
    private final RunningHandlers handlers;
    private final PrefetchLimit prefetch;
    private final long longestWait;
    private final Map<String, Gathering> gatherings = new HashMap<>(); // by type: of listeners that run chunks
    private volatile SkippedTypes skipped = SkippedTypes.NONE;
    private volatile long wentBack = System.nanoTime(); // when the jobs went back the last time that had not begun
    private volatile boolean closed;

    JobRuns(
            QueueWorker worker,
            QueueWorker.Shared node,
            RunningHandlers handlers,
            PrefetchLimit prefetch,
            Duration longestWait,
            List<ListenerDefinition> listeners) {
        this.worker = worker;
        this.node = node;
        this.handlers = handlers;
        this.prefetch = prefetch;
        this.longestWait = longestWait.toNanos();
        listeners.stream().filter(listener -> listener.chunking() != null).forEach(listener -> {
            Gathering gathering = new Gathering(listener, this);
            listener.types().forEach(type -> gatherings.put(type, gathering));
        });
    }

    /** Begins no job of these types any more. */
    void leave(SkippedTypes types) {
        skipped = types;
    }

    /** All jobs that have not begun go back now. */
    void goBack() {
        wentBack = System.nanoTime();
    }

    /** From now on no job begins, whenever it comes. */
    void close() {
        closed = true;
    }

    @Override
    public boolean overlooked(Execution execution) {
        return closed || execution.heldNanos() - wentBack < 0;
    }

    /** There are more jobs that wait for a thread. */
    void arrived() {
        gatherings.values().forEach(Gathering::look);
    }

    /** Takes out the jobs that threads have gathered and not begun. */
    List<Execution> takeGathered() {
        return gatherings.values().stream()
                .flatMap(gathering -> gathering.takeAll().stream())
                .toList();
    }

    /** Runs a job on a thread, by itself or with others that wait, or gives it back. */
    void run(int thread, Execution execution) {
        if (!admits(execution, Duration.ZERO)) {
            return;
        }
        try {
            ClaimedJob job = execution.job();
            boolean suspect =
                    node.suspects().suspect(execution) && node.invoker().knows(job);
            Gathering gathering = gatherings.get(job.type());
            if (gathering != null && !suspect && !Headers.alone(job.headers())) {
                together(thread, gathering, execution);
                return;
            }
            if (suspect && !node.suspects().enter(worker, execution)) {
                return; // parked: it comes back when it may run
            }
            if (suspect && !node.suspects().isolate(execution)) {
                execution.stop(Stop.CLAIM_LOST);
            }
            attempt(thread, execution);
        } catch (DataAccessException e) {
            worker.settle(execution, ASIDE, Duration.ZERO);
            log.warn(
                    "queue '{}': isolating {}, a suspect of crashes, failed; the job is put aside",
                    worker.queue(),
                    execution.job(),
                    e);
        } catch (RuntimeException | Error e) {
            worker.settle(execution, ASIDE, Duration.ZERO); // it must not stay in our hands, nor come back at once
            throw e;
        }
    }

    /** Runs this job, perhaps with others, and settles all of them; or leaves it to a thread that gathers jobs. */
    private void together(int thread, Gathering gathering, Execution first) {
        List<Execution> chunk = List.of();
        try {
            chunk = gathering.gather(thread, first);
            if (!chunk.isEmpty()) {
                new ChunkRun(thread, gathering.listener(), this, node.invoker(), ChunkRun.SEARCH).run(chunk);
            }
        } catch (RuntimeException | Error e) {
            for (Execution execution : chunk) {
                worker.settle(execution, ASIDE, Duration.ZERO);
            }
            throw e;
        } finally {
            handlers.end(thread);
        }
    }

    @Override
    public boolean admits(Execution execution, Duration lingered) {
        if (closed
                || skipped.ready().contains(execution.job().type())
                || tooLate(execution, longestWait + lingered.toNanos())) {
            worker.settle(execution, RELEASED, Duration.ZERO);
            return false;
        }
        if (skipped.aside().contains(execution.job().type())) {
            worker.settle(execution, ASIDE, Duration.ZERO); // given back, it would be claimed again at once
            return false;
        }
        if (repeated(execution.job()) && handlers.run(execution.job().id())) {
            worker.settle(execution, ASIDE, Duration.ZERO);
            return false;
        }
        return true;
    }

    /**
     * Whether the job has waited too long here. Its node may have been frozen past its lease; and as long as it waits here, nobody else
     * can run it. Where the claim itself took longer than that, so would the next one: then the database says whether it still stands.
     */
    private boolean tooLate(Execution execution, long longest) {
        long now = System.nanoTime();
        return now - execution.heldNanos() > longest
                || now - execution.claimedNanos() > longest && !node.invoker().holds(execution);
    }

    /** Whether an earlier claim's handler may still be running. */
    private static boolean repeated(ClaimedJob job) {
        return job.attempt() > 1 || job.crashes() > 0 || Headers.alone(job.headers());
    }

    private void attempt(int thread, Execution execution) {
        ClaimedJob job = execution.job();
        long begun = System.nanoTime();
        handlers.begin(thread, new long[] {job.id()}, Kind.of(job), begun);
        Outcome outcome;
        try {
            if (node.invoker().knows(job)) {
                started(execution, begun);
            }
            outcome = node.invoker().run(execution);
        } finally {
            handlers.end(thread);
        }
        if (outcome instanceof Outcome.UnknownType) {
            worker.metUnknownType(begun);
        }
        long took = System.nanoTime() - begun;
        prefetch.handled(Kind.of(job), took, 1);
        worker.settle(execution, outcome, Duration.ofNanos(took));
    }

    private void started(Execution execution, long begun) {
        ClaimedJob job = execution.job();
        node.observers().started(job, job.waited().plusNanos(begun - execution.claimedNanos()));
    }

    // Of chunks

    @Override
    public List<Execution> take(Predicate<Execution> wanted, int most) {
        return worker.take(
                execution -> wanted.test(execution) && !node.suspects().suspect(execution), most);
    }

    @Override
    public void gather(int thread, int most) {
        handlers.gather(thread, most);
        worker.moreRoom();
    }

    @Override
    public void begin(int thread, List<Execution> jobs, boolean forTheFirstTime) {
        long begun = System.nanoTime();
        long[] ids = jobs.stream().mapToLong(execution -> execution.job().id()).toArray();
        handlers.begin(thread, ids, Kind.of(jobs.get(0).job()), begun);
        if (forTheFirstTime) {
            jobs.forEach(execution -> started(execution, begun));
        }
    }

    @Override
    public void end(int thread, int jobs, Duration took) {
        Kind kind = handlers.kind(thread);
        if (kind != null) {
            prefetch.handled(kind, took.toNanos(), jobs);
        }
    }

    @Override
    public Outcome alone(Execution execution) {
        return node.invoker().run(execution);
    }

    @Override
    public void settle(Execution execution, Outcome outcome, Duration took) {
        worker.settle(execution, outcome, took);
    }
}
