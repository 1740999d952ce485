package dev.rowlock.queue.chunk;

/** The {@link ChunkResult} of a job's chunk does not name the job. Whether the listener did its work is not known. */
public final class JobNotReportedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public JobNotReportedException(long id) {
        super("the listener's ChunkResult does not name job %d, so it counts as failed".formatted(id));
    }
}
