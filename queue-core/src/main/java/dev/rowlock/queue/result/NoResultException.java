package dev.rowlock.queue.result;

/** The job has completed, and no result of it is kept. */
public final class NoResultException extends JobResultException {

    private static final long serialVersionUID = 1L;

    public NoResultException(long jobId) {
        super(
                jobId,
                "job %d has completed without a result: its listener returned null, or does not keep results (@JobListener(keepResult = true), or completeInTransaction(result)). Wait without a type if only its end counts"
                        .formatted(jobId));
    }
}
