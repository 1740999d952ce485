package dev.rowlock.queue.chunk;

import dev.rowlock.queue.job.JobContext;

/**
 * One job of a chunk: {@code void index(List<ChunkJob<IndexDocument>> jobs)}.
 *
 * @param payload as it was enqueued
 * @param context tells what is known about this job. {@link JobContext#extend} and {@link
 *     JobContext#completeInTransaction()} throw {@link IllegalStateException}: they are for listeners that run one job at a time
 * @param <P> the payload's class
 */
public record ChunkJob<P>(P payload, JobContext context) {

    /** The job's id: a {@link ChunkResult} and a {@link ChunkFailedException} name jobs by it. */
    public long id() {
        return context.id();
    }
}
