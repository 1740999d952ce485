package dev.rowlock.queue.result;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Waits for jobs and reads their results: see {@link JobHandle}. Thread-safe. */
public interface JobResults {

    /** The job with this id, whether there is one or not. Does not ask the database. */
    JobHandle handle(long id);

    /** As {@link JobHandle#await(Duration, Class)}. */
    default <T> T await(long id, Duration timeout, Class<T> result) throws InterruptedException {
        return handle(id).await(timeout, result);
    }

    /** As {@link JobHandle#await(Duration)}. */
    default void await(long id, Duration timeout) throws InterruptedException {
        handle(id).await(timeout);
    }

    /** As {@link JobHandle#future(Duration, Class)}. */
    default <T> CompletableFuture<T> future(long id, Duration timeout, Class<T> result) {
        return handle(id).future(timeout, result);
    }
}
