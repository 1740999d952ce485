package dev.rowlock.queue.workflow;

/**
 * How many jobs are in which state, as of a moment ago.
 *
 * @param open jobs that have not ended
 * @param completed jobs that have completed
 * @param failed jobs that have failed for good; most of them can be redriven
 * @param cancelled jobs that were cancelled
 * @param skipped jobs that were cancelled because a condition of their step did not hold
 */
public record StepCounts(long open, long completed, long failed, long cancelled, long skipped) {

    public static final StepCounts NONE = new StepCounts(0, 0, 0, 0, 0);

    /** The sum of all. */
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
