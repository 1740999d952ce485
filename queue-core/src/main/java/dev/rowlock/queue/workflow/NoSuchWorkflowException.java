package dev.rowlock.queue.workflow;

/** The workflow does not exist, or does not exist any more. */
public final class NoSuchWorkflowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long workflow;

    public NoSuchWorkflowException(long workflow) {
        super(
                "there is no workflow %d: the transaction that started it has not committed or was rolled back, or it has ended and was removed with its jobs (see rowlock.retention)"
                        .formatted(workflow));
        this.workflow = workflow;
    }

    /** The workflow's id. */
    public long workflow() {
        return workflow;
    }
}
