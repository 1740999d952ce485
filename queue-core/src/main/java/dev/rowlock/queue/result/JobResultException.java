package dev.rowlock.queue.result;

/** Why there is no result of a job, or not yet. */
public abstract class JobResultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long jobId;

    JobResultException(long jobId, String message) {
        super(message);
        this.jobId = jobId;
    }

    /** The job's id. */
    public long jobId() {
        return jobId;
    }
}
