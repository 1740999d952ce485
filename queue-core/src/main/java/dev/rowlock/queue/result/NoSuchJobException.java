package dev.rowlock.queue.result;

/** There is no such job, or not any more. */
public final class NoSuchJobException extends JobResultException {

    private static final long serialVersionUID = 1L;

    public NoSuchJobException(long jobId) {
        super(
                jobId,
                "there is no job %d: the transaction that enqueued it has not committed, or it has ended and is not kept (see rowlock.retention), or it was discarded"
                        .formatted(jobId));
    }
}
