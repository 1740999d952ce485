package dev.rowlock.queue.internal.run;

import java.util.List;

/**
 * How the threads of a queue run some of its jobs together, in one call. A queue whose listeners run one job at a time has
 * {@link #NONE}. Thread-safe.
 */
public interface Chunks {

    /** Each job runs alone. */
    Chunks NONE = new Chunks() {
        @Override
        public boolean run(int thread, Execution first) {
            return false;
        }

        @Override
        public void arrived() {}

        @Override
        public List<Execution> takeGathered() {
            return List.of();
        }
    };

    /**
     * Runs this job, perhaps with others, on the calling thread, and settles all of them; or leaves it to a thread that gathers
     * jobs. False: its listener runs one job at a time, and nothing has happened.
     */
    boolean run(int thread, Execution first);

    /** There are more jobs that wait for a thread. */
    void arrived();

    /** Takes out the jobs that threads have gathered and not begun. */
    List<Execution> takeGathered();
}
