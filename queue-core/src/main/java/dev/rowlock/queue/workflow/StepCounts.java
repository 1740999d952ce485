package dev.rowlock.queue.workflow;

/**
 * How many jobs are in which state, as of a moment ago.
 *
 * @param open jobs that have not ended
 * @param completed jobs that have completed
 * @param dead jobs that are dead, and nested workflows that have failed; most of them can be redriven
 * @param cancelled jobs that were cancelled
 * @param skipped jobs that were cancelled because a condition of their step did not hold
 */
public record StepCounts(long open, long completed, long dead, long cancelled, long skipped) {

    public static final StepCounts NONE = new StepCounts(0, 0, 0, 0, 0);

    /** The sum of all. */
    public long jobs() {
        return open + completed + dead + cancelled + skipped;
    }

    public StepCounts plus(StepCounts other) {
        return new StepCounts(
                open + other.open,
                completed + other.completed,
                dead + other.dead,
                cancelled + other.cancelled,
                skipped + other.skipped);
    }
}
