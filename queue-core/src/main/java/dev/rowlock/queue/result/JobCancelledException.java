package dev.rowlock.queue.result;

/** The job was cancelled. */
public final class JobCancelledException extends JobResultException {

    private static final long serialVersionUID = 1L;

    public JobCancelledException(long jobId) {
        super(jobId, "job %d was cancelled".formatted(jobId));
    }
}
