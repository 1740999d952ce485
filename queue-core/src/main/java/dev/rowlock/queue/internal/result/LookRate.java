package dev.rowlock.queue.internal.result;

import java.time.Duration;

/** Limits how often awaited jobs are checked, so that checks cost the database little and all jobs have their turn. Used by one thread. */
final class LookRate {

    private static final long PAUSE = Duration.ofMillis(2).toNanos();
    private static final long LONGEST_REST = Duration.ofSeconds(1).toNanos();
    private static final int REST_PER_LOOK = 2;

    /** Every other look may be for jobs with news. */
    private static final int LOOKS_PER_TURN = 2;

    private static final int RECENT = 8;

    private final int most;
    private double period; // nanos from one look to the next, of recent looks

    /** @param most jobs that one look asks for */
    LookRate(int most) {
        this.most = most;
    }

    /**
     * A look took so long: returns the nanos to rest before the next one.
     *
     * @param all whether it told of all that have ended; if not, the next one tells more of them, soon
     */
    long rest(long took, boolean all) {
        long rest = Math.max(PAUSE, Math.min(LONGEST_REST, REST_PER_LOOK * took));
        period += (took + rest - period) / RECENT;
        return all ? rest : PAUSE;
    }

    /** Nanos from one look at a job to the next that so many jobs need at least, or more of them would be due than looks can ask for. */
    long interval(int jobs) {
        return (long) (period * LOOKS_PER_TURN * jobs / most);
    }
}
