package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.workflow.read.FindEndedWorkflows;
import dev.rowlock.queue.internal.store.workflow.read.ReadWorkflows;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.workflow.NoSuchWorkflowException;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowWaitTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Waits until workflows have ended. */
final class WorkflowWaits {

    private static final Duration LONGEST = Duration.ofDays(365);

    private final FindEndedWorkflows find;
    private final ReadWorkflows read;
    private final Ends ends;

    WorkflowWaits(Database database, ReadWorkflows read, Ends ends) {
        this.find = new FindEndedWorkflows(database);
        this.read = read;
        this.ends = ends;
    }

    WorkflowDetails await(long id, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + valid(timeout);
        if (find.startedHere(id)) {
            throw new IllegalStateException(
                    "workflow %d was started in the transaction that is still open, and can begin only after its commit: wait after that, or take a future"
                            .formatted(id));
        }
        while (true) {
            awaitEnd(id, until, timeout);
            Optional<WorkflowDetails> ended = ended(id);
            if (ended.isPresent()) {
                return ended.get();
            }
        }
    }

    private void awaitEnd(long id, long until, Duration timeout) throws InterruptedException {
        CompletableFuture<?> end = ends.await(id);
        try {
            end.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new WorkflowWaitTimeoutException(id, timeout);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNull(e.getCause());
            throw new IllegalStateException(cause.getMessage(), cause);
        } finally {
            ends.leave(id, end);
        }
    }

    /** Empty: somebody has redriven one of its jobs meanwhile, so that it runs again. */
    private Optional<WorkflowDetails> ended(long id) {
        WorkflowDetails now = read.find(id).orElseThrow(() -> new NoSuchWorkflowException(id));
        return now.summary().endedAt() == null ? Optional.empty() : Optional.of(now);
    }

    CompletableFuture<WorkflowDetails> future(long id, Duration timeout) {
        long nanos = valid(timeout);
        CompletableFuture<WorkflowDetails> future = new CompletableFuture<>();
        if (TransactionSynchronizationManager.isSynchronizationActive() && find.startedHere(id)) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    begin(id, future);
                }
            });
        } else {
            begin(id, future);
        }
        failAfter(id, nanos, future, timeout);
        return future;
    }

    /** Once the future is complete, nothing holds it until its time would be up. */
    private static void failAfter(long id, long nanos, CompletableFuture<?> future, Duration timeout) {
        CompletableFuture<Boolean> timeUp =
                new CompletableFuture<Boolean>().completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        timeUp.thenRunAsync(() -> future.completeExceptionally(new WorkflowWaitTimeoutException(id, timeout)));
        future.whenComplete((value, thrown) -> timeUp.cancel(false));
    }

    private void begin(long id, CompletableFuture<WorkflowDetails> future) {
        CompletableFuture<?> end;
        try {
            end = ends.await(id);
        } catch (IllegalStateException e) {
            future.completeExceptionally(e);
            return;
        }
        // Not on the thread that asks for all: it reads what became of the steps, and runs code of the application.
        end.whenCompleteAsync((ended, closed) -> {
            if (closed != null) {
                future.completeExceptionally(closed);
            } else if (!future.isDone()) {
                finish(id, future);
            }
        });
        future.whenComplete((value, thrown) -> ends.leave(id, end));
    }

    private void finish(long id, CompletableFuture<WorkflowDetails> future) {
        try {
            ended(id).ifPresentOrElse(future::complete, () -> begin(id, future));
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }

    private static long valid(Duration timeout) {
        if (timeout.isZero() || timeout.isNegative() || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout %s must be more than zero, and at most %s"
                    .formatted(DurationText.of(timeout), DurationText.of(LONGEST)));
        }
        return timeout.toNanos();
    }
}
