package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.workflow.StoredWorkflows.EndFutures;
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
import org.jspecify.annotations.Nullable;

/** Waits until workflows have ended. */
final class WorkflowWaits {

    private static final Duration LONGEST = Duration.ofDays(365);

    private final Database database;
    private final ReadWorkflows read;
    private final EndFutures ends;

    WorkflowWaits(Database database, ReadWorkflows read, EndFutures ends) {
        this.database = database;
        this.read = read;
        this.ends = ends;
    }

    WorkflowDetails await(long id, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + valid(timeout);
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
        WorkflowDetails now = read.findOutside(id).orElseThrow(() -> missing(id));
        return now.summary().endedAt() == null ? Optional.empty() : Optional.of(now);
    }

    private RuntimeException missing(long id) {
        return read.seenHere(id)
                ? new IllegalStateException(
                        "workflow %d was started in the transaction that is still open, and can begin only after its commit: wait after that, or take a future"
                                .formatted(id))
                : new NoSuchWorkflowException(id);
    }

    CompletableFuture<WorkflowDetails> future(long id, Duration timeout) {
        long nanos = valid(timeout);
        CompletableFuture<WorkflowDetails> future = new CompletableFuture<>();
        begin(id, future, read.seenHere(id) ? database.endOfTransaction() : null);
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

    /** @param transaction the caller's, which sees it: others may see it only after that. Null: none */
    private void begin(
            long id, CompletableFuture<WorkflowDetails> future, @Nullable CompletableFuture<Void> transaction) {
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
                finish(id, future, transaction);
            }
        });
        future.whenComplete((value, thrown) -> ends.leave(id, end));
    }

    private void finish(
            long id, CompletableFuture<WorkflowDetails> future, @Nullable CompletableFuture<Void> transaction) {
        try {
            ended(id).ifPresentOrElse(future::complete, () -> begin(id, future, transaction));
        } catch (NoSuchWorkflowException e) {
            if (transaction == null) {
                future.completeExceptionally(e);
            } else {
                transaction.thenRunAsync(() -> begin(id, future, null));
            }
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
