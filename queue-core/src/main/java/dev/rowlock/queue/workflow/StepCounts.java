package dev.rowlock.queue.workflow;

/**
 * What became of jobs, a moment ago.
 *
 * @param open have not ended
 * @param completed have completed
 * @param failed have failed for good, and may be redriven
 * @param cancelled were cancelled by somebody
 * @param skipped were cancelled because of what became of another step
 */
public record StepCounts(long open, long completed, long failed, long cancelled, long skipped) {

    public static final StepCounts NONE = new StepCounts(0, 0, 0, 0, 0);

    /** All of them. */
    public long jobs() {
        return open + completed + failed + cancelled + skipped;
    }

    public StepCounts plus(StepCounts other) {
        return new StepCounts(
                open + other.open,
                completed + other.completed,
                failed + other.failed,
                cancelled + other.cancelled,
                skipped + other.skipped);
    }
}
