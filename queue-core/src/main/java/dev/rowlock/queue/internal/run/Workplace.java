package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** What a queue offers to chunks that run its jobs on its threads. */
interface Workplace {

    /** Whether the job may begin, after it may have waited for others so long. If not, it has been given back, or put aside. */
    boolean admits(Execution execution, Duration lingered);

    /**
     * Takes out up to so many jobs that wait for a thread, in their order: those that are wanted, and are not to run alone
     * because they may bring down their node.
     */
    List<Execution> take(Predicate<Execution> wanted, int most);

    /** The thread may have so many jobs now, before it begins: more may be claimed. */
    void gather(int thread, int most);

    /** The thread begins a call with these jobs, at least one. Tells observers of those that have not begun before. */
    void begin(int thread, List<Execution> jobs, boolean forTheFirstTime);

    /** The call that the thread has begun has taken so long. */
    void end(int thread, int jobs, Duration took);

    /** Runs one job on the calling thread as if there were no others. Never throws. */
    Outcome alone(Execution execution);

    /** Whether all jobs that had not begun went back, but for this one, which was between two hands. */
    boolean overlooked(Execution execution);

    /** Hands over an outcome, unless somebody else has settled this job. */
    void settle(Execution execution, Outcome outcome, Duration took);
}
