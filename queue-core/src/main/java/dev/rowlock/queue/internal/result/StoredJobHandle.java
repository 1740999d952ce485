package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.result.JobCancelledException;
import dev.rowlock.queue.result.JobDeadException;
import dev.rowlock.queue.result.JobHandle;
import dev.rowlock.queue.result.JobProgress;
import dev.rowlock.queue.result.JobWaitTimeoutException;
import dev.rowlock.queue.result.NoResultException;
import dev.rowlock.queue.result.NoSuchJobException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A job in the tables to wait for. */
record StoredJobHandle(StoredJobResults results, long id) implements JobHandle {

    private static final Duration LONGEST = Duration.ofDays(365);

    @Override
    public void await(Duration timeout) throws InterruptedException {
        requireCompleted(ended(timeout));
    }

    @Override
    public <T> T await(Duration timeout, Class<T> result) throws InterruptedException {
        return result(ended(timeout), result);
    }

    private Ended ended(Duration timeout) throws InterruptedException {
        long nanos = valid(timeout);
        CompletableFuture<Ended> end = results.await(id);
        try {
            Ended ended = end.get(nanos, TimeUnit.NANOSECONDS);
            if (ended.state() == null && results.find.livesHere(id)) {
                throw new IllegalStateException(
                        "job %d was enqueued in the transaction that is still open, and can begin only after its commit: wait after that, or take a future"
                                .formatted(id));
            }
            return ended;
        } catch (TimeoutException e) {
            throw new JobWaitTimeoutException(id, timeout);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNull(e.getCause());
            throw new IllegalStateException(cause.getMessage(), cause);
        } finally {
            results.waits.leave(id, end);
        }
    }

    @Override
    public CompletableFuture<Void> future(Duration timeout) {
        return future(timeout, ended -> {
            requireCompleted(ended);
            return null;
        });
    }

    @Override
    public <T> CompletableFuture<T> future(Duration timeout, Class<T> result) {
        return future(timeout, (Ended ended) -> result(ended, result));
    }

    private <T> CompletableFuture<T> future(Duration timeout, Function<Ended, @Nullable T> read) {
        long nanos = valid(timeout);
        CompletableFuture<T> future = new CompletableFuture<>();
        begin(future, read, results.find.livesHere(id) ? results.database.endOfTransaction() : null);
        failAfter(nanos, future, timeout);
        return future;
    }

    /** Once the future is complete, nothing holds it until its time would be up. */
    private void failAfter(long nanos, CompletableFuture<?> future, Duration timeout) {
        CompletableFuture<Boolean> timeUp =
                new CompletableFuture<Boolean>().completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        timeUp.thenRunAsync(() -> future.completeExceptionally(new JobWaitTimeoutException(id, timeout)));
        future.whenComplete((value, thrown) -> timeUp.cancel(false));
    }

    /** @param transaction the caller's, which sees it: others may see it only after that. Null: none */
    private <T> void begin(
            CompletableFuture<T> future,
            Function<Ended, @Nullable T> read,
            @Nullable CompletableFuture<Void> transaction) {
        CompletableFuture<Ended> end;
        try {
            end = results.await(id);
        } catch (IllegalStateException e) {
            future.completeExceptionally(e);
            return;
        }
        // Not on the thread that asks for all: what hangs on the future is code of the application.
        end.whenCompleteAsync((ended, closed) -> {
            if (closed != null) {
                future.completeExceptionally(closed);
            } else if (ended.state() == null && transaction != null) {
                transaction.thenRunAsync(() -> begin(future, read, null));
            } else {
                finish(future, read, ended);
            }
        });
        future.whenComplete((value, thrown) -> results.waits.leave(id, end));
    }

    private static <T> void finish(CompletableFuture<T> future, Function<Ended, @Nullable T> read, Ended ended) {
        try {
            future.complete(read.apply(ended));
        } catch (Throwable e) { // the codec and the result's class are user code: nobody else would hear of it
            future.completeExceptionally(e);
        }
    }

    @Override
    public Optional<JobProgress> progress() {
        return results.find.progress(id);
    }

    private <T> T result(Ended ended, Class<T> type) {
        requireCompleted(ended);
        if (ended.result() == null) {
            throw new NoResultException(id);
        }
        String json = results.database.encryption().open(Part.RESULT, id, ended.result());
        return type.cast(results.codec.decode(json, type));
    }

    private void requireCompleted(Ended ended) {
        if (ended.state() == null) {
            throw new NoSuchJobException(id);
        }
        JobState state = JobState.of(ended.state());
        if (state == JobState.CANCELLED) {
            throw new JobCancelledException(id);
        }
        if (state != JobState.COMPLETED) {
            throw new JobDeadException(
                    id, state, new ErrorHistory(results.database.encryption()).decodeOne(id, ended.error()));
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
