package dev.rowlock.queue.job;

/**
 * A job was to be replaced that has started: it runs, or has failed and is tried again. Nothing was enqueued and nothing was
 * changed by the call. Only {@code enqueueAll} may have written earlier chunks of its stream: a transaction of the caller's should roll back then.
 */
public final class KeyHolderStartedException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    private final long jobId;

    public KeyHolderStartedException(UniqueKey key, long jobId) {
        super(("job %d holds unique key %s and has started, so it cannot be replaced: enqueue again when it has ended,"
                        + " or use untilStarted() or onceMore()")
                .formatted(jobId, key));
        this.jobId = jobId;
    }

    /** The job that holds the key. */
    public long jobId() {
        return jobId;
    }
}
