package dev.rowlock.queue.workflow;

import dev.rowlock.queue.job.JobContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts, changes and reads workflows and batches. Thread-safe.
 *
 * <p>Methods that change something join the Spring transaction of the calling thread, as enqueues do. Without one, each call is its own
 * transaction. Methods that read see what that transaction sees.
 *
 * <p>A job that waits for others runs some milliseconds after the last of them has ended. If the node that ran the last one dies at that moment,
 * another node releases the waiting job, mostly within ten seconds, and within a minute at worst.
 */
public interface Workflows {

    /**
     * Enqueues all jobs of a workflow, or none. The jobs of steps that run after others wait.
     *
     * @return the workflow's id
     * @throws IllegalArgumentException if it has no step, names an unknown step, or its steps wait for each other in a circle; and as for
     *     any enqueue
     */
    long start(Workflow workflow);

    /**
     * Starts a nested workflow from a job of a workflow. The nested workflow counts as one more job of the job's step: the step ends only after the
     * nested workflow, and does not complete unless that does.
     *
     * @param job the context of the job that is running
     * @throws IllegalStateException if the job belongs to no workflow, or its workflow was cancelled
     * @throws dev.rowlock.queue.job.ClaimLostException if this node has lost the job: do not catch this exception
     */
    long start(JobContext job, Workflow workflow);

    /**
     * Adds jobs to the step of the running job, one for each payload. A {@link dev.rowlock.queue.JobRequest} has its own options. Other payloads
     * have none, whatever options the step's other jobs have.
     *
     * @return their ids, in the same order
     * @throws IllegalStateException if the job belongs to no workflow, or its workflow was cancelled
     * @throws dev.rowlock.queue.job.ClaimLostException if this node has lost the job: do not catch this exception
     */
    long[] add(JobContext job, Collection<?> payloads);

    /**
     * Adds jobs to a step that is {@linkplain StepOptions#open open}, one for each payload, or {@link dev.rowlock.queue.JobRequest}
     * with its own options. If the step waits, the added jobs wait, too, and run with the others after the step's delay. Otherwise they run at once.
     *
     * @return their ids, in the same order
     * @throws NoSuchWorkflowException if there is no such workflow
     * @throws NoSuchStepException if the workflow has no such step
     * @throws IllegalStateException if the step is not open, or was skipped
     */
    long[] add(long workflow, String step, Collection<?> payloads);

    /** Closes an open step: it takes no more jobs, and ends with its last job. Returns whether it was open; false also for an unknown step. */
    boolean close(long workflow, String step);

    /**
     * Cancels all jobs that have not ended, of a workflow and of workflows nested in it. Running jobs are asked to stop. Nodes do this soon after the
     * commit; the state {@link WorkflowState#CANCELLED} says that it is done.
     *
     * @param who for the audit
     * @param why for the audit; null: no reason
     * @return whether it was running
     */
    boolean cancel(long workflow, String who, @Nullable String why);

    /** Returns a workflow with the counts of each step. Empty: it does not exist, or was removed with its jobs. */
    Optional<WorkflowDetails> find(long workflow);

    /**
     * Blocks until a workflow has ended, and returns it. A workflow that has {@linkplain WorkflowState#FAILED failed} or was cancelled has ended, too; one
     * with a step that waits for a redrive has not. Holds no connection while it waits.
     *
     * @param timeout how long to wait at most; more than zero
     * @throws WorkflowWaitTimeoutException if it has not ended by then; it continues
     * @throws NoSuchWorkflowException if the workflow does not exist: its start has not committed, or it was removed with its jobs
     * @throws IllegalStateException inside the transaction that started it: its jobs begin only after the commit
     * @throws InterruptedException if the thread is interrupted; the workflow continues
     */
    WorkflowDetails await(long workflow, Duration timeout) throws InterruptedException;

    /**
     * Completes when a workflow has ended, or exceptionally with what {@link #await} throws. Its actions run in the common pool. Cancelling the
     * future ends the wait, not the workflow. Inside the transaction that started the workflow, the wait begins after the commit: do not join the future
     * before that, or it times out.
     *
     * @param timeout how long to wait at most; more than zero
     */
    CompletableFuture<WorkflowDetails> future(long workflow, Duration timeout);

    /**
     * Returns the newest workflows, newest first.
     *
     * @param before the lowest id of the page before; null: the first page
     * @param limit 1 to 1,000
     */
    List<WorkflowSummary> list(@Nullable Long before, int limit);

    /**
     * Returns the jobs of one step in the order of their ids; none for an unknown step.
     *
     * @param after the highest id of the page before; {@link Long#MIN_VALUE}: the first page
     * @param limit 1 to 1,000
     */
    List<WorkflowJob> jobs(long workflow, String step, long after, int limit);

    /** Returns the id of the workflow to which a job belongs. Empty: it belongs to none. */
    Optional<Long> workflowOf(long job);

    /**
     * Returns the result of the one job of an earlier step: {@link #results} for a step of one job.
     *
     * @throws IllegalArgumentException as {@link #results}
     * @throws IllegalStateException if the running job belongs to no workflow, the step has not exactly one completed job, or no result of that job is kept
     */
    <T> T result(JobContext job, String step, Class<T> type);

    /**
     * Returns the results of the completed jobs of an earlier step, in the order of the jobs' ids. Their listener must keep results. Dead and
     * cancelled jobs are left out. The step of the running job must run after that step, directly or through others; then the step has ended, unless a condition is
     * {@link RunsAfter#FAILURE}, or somebody has let the running job run ahead of its turn.
     *
     * <p>All results are in memory at once: up to 10,000. They are read in pages of 100. A step that the running job's
     * step names costs no further look. For other steps the first page costs a walk back through the workflow, nearest steps first: some milliseconds per
     * thousand steps. In large workflows, name the step in {@code after}.
     *
     * @param job the context of the running job
     * @param step a step of the running job's workflow, but not its own step
     * @throws NoSuchStepException if the workflow has no such step; an {@link IllegalArgumentException}
     * @throws IllegalArgumentException if the running job's step does not run after that step
     * @throws IllegalStateException if the running job belongs to no workflow, no result of a completed job is kept, or there are more than 10,000
     */
    <T> List<T> results(JobContext job, String step, Class<T> type);
}
