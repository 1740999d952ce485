package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.enqueue.EnqueueInterceptors;
import dev.rowlock.queue.internal.enqueue.InterceptedCall;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.internal.workflow.CreateWorkflow.Member;
import dev.rowlock.queue.internal.workflow.LockStep.Found;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.workflow.NoSuchStepException;
import dev.rowlock.queue.workflow.NoSuchWorkflowException;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowSummary;
import dev.rowlock.queue.workflow.Workflows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Workflows in the tables {@code workflow…}. */
public final class StoredWorkflows implements Workflows {

    private static final int MOST = 1_000;

    /** Jobs and characters of payload per statement, as in JobTemplate. */
    private static final int CHUNK_JOBS = 1_000;

    private static final int CHUNK_CHARACTERS = 4 << 20;

    private final Database database;
    private final NewJobs jobs;
    private final EnqueueInterceptors interceptors;
    private final AfterCommit afterCommit;
    private final CreateWorkflow create;
    private final LockStep lock;
    private final CancelWorkflows cancel;
    private final ReadWorkflows read;
    private final StepResults results;
    private final WorkflowWaits waits;

    public StoredWorkflows(
            Database database,
            Wakeups wakeups,
            PayloadCodec codec,
            EnqueueInterceptors interceptors,
            NewJobs jobs,
            EndFutures ends) {
        this.database = database;
        this.jobs = jobs;
        this.interceptors = interceptors;
        this.afterCommit = new AfterCommit(database, wakeups);
        this.create = new CreateWorkflow(database.schema());
        this.lock = new LockStep(database.schema());
        this.cancel = new CancelWorkflows(database);
        this.read = new ReadWorkflows(database);
        this.results = new StepResults(database, codec);
        this.waits = new WorkflowWaits(database, read, ends);
    }

    @Override
    public long start(Workflow workflow) {
        return begin(null, workflow);
    }

    @Override
    public long start(JobContext job, Workflow workflow) {
        return begin(job, workflow);
    }

    private long begin(@Nullable JobContext job, Workflow workflow) {
        workflow.check();
        List<Workflow.Step> steps = workflow.steps();
        return writing(
                "start a workflow",
                steps.stream().mapToLong(step -> step.payloads().size()).sum(),
                (connection, wakes, call) -> {
                    StepKey within = job == null ? null : own(connection, job).key();
                    long id = create.run(connection, workflow.name(), steps, within);
                    Writer writer = new Writer(connection, id, wakes, call);
                    List<List<Integer>> next = CreateWorkflow.next(steps);
                    for (int number = 0; number < steps.size(); number++) {
                        Workflow.Step step = steps.get(number);
                        boolean held = CreateWorkflow.waits(step);
                        for (Object payload : step.payloads()) {
                            writer.add(payload, step.options().job(), number, held, next.get(number));
                        }
                    }
                    writer.flush();
                    return id;
                });
    }

    @Override
    public long[] add(JobContext job, Collection<?> payloads) {
        return writing("add jobs to a workflow", payloads.size(), (connection, wakes, call) -> {
            return added(connection, own(connection, job), payloads, wakes, call);
        });
    }

    @Override
    public long[] add(long workflow, String step, Collection<?> payloads) {
        Names.step(step);
        return writing("add jobs to a workflow", payloads.size(), (connection, wakes, call) -> {
            Found found = lock.named(connection, workflow, step).orElse(null);
            if (found == null) {
                List<String> steps = results.names(connection, workflow);
                throw steps.isEmpty()
                        ? new NoSuchWorkflowException(workflow)
                        : new NoSuchStepException(workflow, step, steps);
            }
            if (!found.accepts() || found.skipped() || !found.running()) {
                throw new IllegalStateException(
                        "step '%s' of workflow %d takes no jobs: it is %s, and the workflow %s; a step takes jobs if it was declared as open, until it is closed"
                                .formatted(
                                        step,
                                        workflow,
                                        found.skipped() ? "skipped" : found.accepts() ? "open" : "closed",
                                        found.workflowState()));
            }
            return added(connection, found, payloads, wakes, call);
        });
    }

    private long[] added(
            Connection connection, Found step, Collection<?> payloads, Wakes wakes, @Nullable InterceptedCall call)
            throws SQLException {
        StepKey key = step.key();
        if (key == null) {
            throw new IllegalStateException("this job belongs to no workflow");
        }
        Writer writer = new Writer(connection, key.workflow(), wakes, call);
        for (Object payload : payloads) {
            writer.add(payload, JobOptions.NONE, key.step(), step.held(), List.of());
        }
        writer.flush();
        return writer.ids();
    }

    /** The step of the job that is running, which does not end before the transaction does. */
    private Found own(Connection connection, JobContext job) throws SQLException {
        Claim claim = new Claim(job.id(), job.claimToken());
        Found found = lock.ofJob(connection, claim).orElseThrow(() -> new ClaimLostException(claim));
        if (found.key() == null) {
            throw new IllegalStateException("job %d belongs to no workflow: start one without it".formatted(job.id()));
        }
        if (!found.running()) {
            throw new IllegalStateException("workflow %d, to which job %d belongs, is %s and takes no more jobs"
                    .formatted(found.key().workflow(), job.id(), found.workflowState()));
        }
        return found;
    }

    @Override
    public boolean close(long workflow, String step) {
        TransactionStanding standing = database.requireWritable("close a step");
        boolean closed = database.joined(connection -> lock.close(connection, workflow, Names.step(step)));
        afterCommit.attention(standing);
        return closed;
    }

    @Override
    public boolean cancel(long workflow, String who, @Nullable String why) {
        Actor actor = new Actor(who, why);
        TransactionStanding standing = database.requireWritable("cancel a workflow");
        boolean cancelled = cancel.begin(
                workflow, new AuditNote(actor.who(), actor.why(), "cancel workflow", "workflow " + workflow, null));
        afterCommit.attention(standing);
        return cancelled;
    }

    @Override
    public Optional<WorkflowDetails> find(long workflow) {
        return read.find(workflow);
    }

    @Override
    public WorkflowDetails await(long workflow, Duration timeout) throws InterruptedException {
        return waits.await(workflow, timeout);
    }

    @Override
    public CompletableFuture<WorkflowDetails> future(long workflow, Duration timeout) {
        return waits.future(workflow, timeout);
    }

    @Override
    public List<WorkflowSummary> list(@Nullable Long before, int limit) {
        return read.list(before, valid(limit));
    }

    @Override
    public List<WorkflowJob> jobs(long workflow, String step, long after, int limit) {
        return read.jobs(workflow, Names.step(step), after, valid(limit));
    }

    private static int valid(int limit) {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("a limit of %d is not allowed: 1 to %d".formatted(limit, MOST));
        }
        return limit;
    }

    @Override
    public Optional<Long> workflowOf(long job) {
        return read.ofJob(job);
    }

    @Override
    public <T> T result(JobContext job, String step, Class<T> type) {
        return results.one(job, step, type);
    }

    @Override
    public <T> List<T> results(JobContext job, String step, Class<T> type) {
        return results.all(job, step, type);
    }

    @FunctionalInterface
    private interface Writing<T> {
        T run(Connection connection, Wakes wakes, @Nullable InterceptedCall call) throws SQLException;
    }

    /** All or nothing, in the caller's transaction if there is one. */
    private <T> T writing(String what, long count, Writing<T> work) {
        if (interceptors.none() || count == 0) {
            return write(what, null, work);
        }
        InterceptedCall call = interceptors.many();
        return interceptors.around(call, () -> {
            T result = write(what, call, work);
            call.answered(Enqueued.CREATED);
            return result;
        });
    }

    private <T> T write(String what, @Nullable InterceptedCall call, Writing<T> work) {
        TransactionStanding standing = database.requireWritable(what);
        Wakes wakes = new Wakes();
        T result = database.joinedAtomically(standing, connection -> {
            database.numbering().check(connection);
            return work.run(connection, wakes, call);
        });
        afterCommit.wake(wakes, standing);
        return result;
    }

    /** Writes jobs of one workflow, a chunk at a time. */
    private final class Writer {

        private final Connection connection;
        private final long workflow;
        private final Wakes wakes;
        private final @Nullable InterceptedCall call;
        private final List<Member> chunk = new ArrayList<>();
        private final LongStream.Builder ids = LongStream.builder();
        private int characters;

        Writer(Connection connection, long workflow, Wakes wakes, @Nullable InterceptedCall call) {
            this.connection = connection;
            this.workflow = workflow;
            this.wakes = wakes;
            this.call = call;
        }

        void add(Object payload, JobOptions options, int step, boolean held, List<Integer> next) throws SQLException {
            NewJob job = jobs.of(payload, options, asked -> call == null ? asked : call.amended(asked));
            if (job.uniqueKey() != null) {
                throw new IllegalArgumentException(
                        "a job of a workflow cannot have unique key %s: if another job held it, its step would lack a job"
                                .formatted(job.uniqueKey()));
            }
            if (held && job.due() != null && options.due() == null) {
                throw new IllegalArgumentException(
                        "a job of a step that runs after others cannot be due at a time of its own: name a delay for the step");
            }
            if (call != null) {
                call.count(job.queue(), job.type());
            }
            chunk.add(new Member(job.with(Headers.inWorkflow(job.headers(), workflow), job.due()), step, held, next));
            characters += job.payload().length();
            if (chunk.size() == CHUNK_JOBS || characters >= CHUNK_CHARACTERS) {
                flush();
            }
        }

        void flush() throws SQLException {
            if (!chunk.isEmpty()) {
                for (long id : create.insertJobs(connection, workflow, chunk)) {
                    ids.add(id);
                }
                chunk.stream().filter(member -> !member.held()).forEach(member -> wakes.add(member.job()));
                chunk.clear();
                characters = 0;
            }
        }

        long[] ids() {
            return ids.build().toArray();
        }
    }

    /** Converts payloads to rows of the tables, and rejects what cannot be enqueued. */
    @FunctionalInterface
    public interface NewJobs {

        /**
         * @param payload or a request, which brings its own options along
         * @param options of a payload
         * @param amend what is to be changed in the options
         * @throws IllegalArgumentException for a request where there are other options than {@link JobOptions#NONE}
         */
        NewJob of(Object payload, JobOptions options, UnaryOperator<JobOptions> amend);
    }

    /** Futures that complete when workflows have ended. */
    public interface EndFutures {

        /**
         * Completes when the workflow has ended or does not exist, with any value; exceptionally after a close. A caller that
         * stops waiting must {@linkplain #leave leave}.
         */
        CompletableFuture<?> await(long workflow);

        void leave(long workflow, CompletableFuture<?> end);
    }
}
