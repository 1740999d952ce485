package dev.rowlock.queue.workflow;

import dev.rowlock.queue.job.JobContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts workflows and batches, and tells how they do. Thread-safe.
 *
 * <p>What changes something joins the Spring transaction that is active on the calling thread, as enqueues do; without one, each call is a
 * transaction of its own. What reads does so outside of it.
 *
 * <p>A job that waits for others runs some milliseconds after the last of them has ended. If the node that ran that one dies in this very moment,
 * another node finds out, mostly within ten seconds, within a minute at worst.
 */
public interface Workflows {

    /**
     * Enqueues all jobs of a workflow, or none. Those of steps that run after others wait for them.
     *
     * @return the workflow's id
     * @throws IllegalArgumentException if it has no step, names a step that there is not, or its steps wait for each other in a circle; and as for
     *     any enqueue
     */
    long start(Workflow workflow);

    /**
     * The same from a job of a workflow: the new one counts as one more job of its step. The step does not end before the new workflow has, and has
     * not succeeded if that one has not.
     *
     * @param job the context of the job that is running
     * @throws IllegalStateException if the job belongs to no workflow, or that one was cancelled
     * @throws dev.rowlock.queue.job.ClaimLostException if the job is not this node's any more: let it pass
     */
    long start(JobContext job, Workflow workflow);

    /**
     * Adds jobs to the step of the job that is running, one for each payload. A {@link dev.rowlock.queue.JobRequest} brings options along; a payload has
     * none, whatever the step's other jobs have.
     *
     * @return their ids, in the same order
     * @throws IllegalStateException if the job belongs to no workflow, or that one was cancelled
     * @throws dev.rowlock.queue.job.ClaimLostException if the job is not this node's any more: let it pass
     */
    long[] add(JobContext job, Collection<?> payloads);

    /**
     * Adds jobs to a step that is {@linkplain StepOptions#open open}, one for each payload, or {@link dev.rowlock.queue.JobRequest}
     * with options of its own. Those of a step that waits run with the others, after its delay; those of one that may run do so at once.
     *
     * @return their ids, in the same order
     * @throws NoSuchWorkflowException if there is no such workflow
     * @throws NoSuchStepException if the workflow has no such step
     * @throws IllegalStateException if the step is not open, or was skipped
     */
    long[] add(long workflow, String step, Collection<?> payloads);

    /** Says that no more jobs come: the step ends with its last job. Returns whether it was open. */
    boolean close(long workflow, String step);

    /**
     * Cancels all jobs of a workflow that have not ended, and of workflows that they started. Running ones are asked to stop. Soon after the commit;
     * {@link WorkflowState#CANCELLED} says that it is done.
     *
     * @param who for the audit
     * @param why for the audit; null: nobody says
     * @return whether it was running
     */
    boolean cancel(long workflow, String who, @Nullable String why);

    /** A workflow with what has become of each step. Empty: there is none, or it was removed with its jobs. */
    Optional<WorkflowDetails> find(long workflow);

    /**
     * Blocks until a workflow has ended, and returns what became of it: one that {@linkplain WorkflowState#FAILED failed} or was cancelled has ended as
     * well, one with a step that waits for a redrive has not. Holds no connection while it waits.
     *
     * @param timeout how long to wait at most; more than zero
     * @throws WorkflowWaitTimeoutException if it has not ended by then; it goes on
     * @throws NoSuchWorkflowException if there is no such workflow: not committed, or removed with its jobs
     * @throws IllegalStateException inside the transaction that started it, which can begin only after the commit
     * @throws InterruptedException if the thread is interrupted; the workflow goes on
     */
    WorkflowDetails await(long workflow, Duration timeout) throws InterruptedException;

    /**
     * Completes when a workflow has ended, or exceptionally with what {@link #await} throws. Its actions run in the common pool. To cancel it ends the
     * wait, not the workflow. Inside the transaction that started the workflow, the wait begins after the commit: to join the future before that lasts
     * until the timeout.
     *
     * @param timeout how long to wait at most; more than zero
     */
    CompletableFuture<WorkflowDetails> future(long workflow, Duration timeout);

    /**
     * The newest workflows.
     *
     * @param before only those with a lower id, for the next page; null: from the newest on
     * @param limit 1 to 1,000
     */
    List<WorkflowSummary> list(@Nullable Long before, int limit);

    /**
     * The jobs of one step in the order of their ids.
     *
     * @param after only those with a higher id, for the next page; {@link Long#MIN_VALUE}: from the first on
     * @param limit 1 to 1,000
     */
    List<WorkflowJob> jobs(long workflow, String step, long after, int limit);

    /** Which workflow a job belongs to. Empty: none. */
    Optional<Long> workflowOf(long job);

    /**
     * Returns the result of the one job of an earlier step: {@link #results} for a step of one job.
     *
     * @throws IllegalArgumentException as {@link #results}
     * @throws IllegalStateException if the running job belongs to no workflow, the step has not exactly one completed job, or no result of that job is kept
     */
    <T> T result(JobContext job, String step, Class<T> type);

    /**
     * Returns the results of the completed jobs of an earlier step, in the order of the jobs' ids. Their listener must keep results. Jobs that failed or were
     * cancelled are left out. The step of the running job must run after that step, directly or through others; then the step has ended, unless a condition is
     * {@link RunsAfter#FAILURE}, or somebody has let the running job run ahead of its turn.
     *
     * <p>All results are in memory at once: up to 10,000. They are read in pages of 100, and outside of the caller's transaction. A step that the running job's
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
