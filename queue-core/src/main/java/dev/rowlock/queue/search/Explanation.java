package dev.rowlock.queue.search;

import dev.rowlock.queue.job.JobState;
import java.util.List;

/**
 * Why a job is where it is: what {@link dev.rowlock.queue.JobSearch#explain} has seen at one moment.
 *
 * @param reasons all that hold, the strongest first; never empty
 */
public record Explanation(long id, JobState state, List<Reason> reasons) {

    public Explanation {
        reasons = List.copyOf(reasons);
    }

    /**
     * One of them.
     *
     * @param text one sentence, with names, numbers and times
     */
    public record Reason(Kind kind, String text) {}

    /** What kind of reason it is. The names stay the same from release to release. */
    public enum Kind {
        /** It waits for its due time. */
        DUE_LATER,
        /** It is due, and is about to be moved to ready. */
        DUE,
        /** It waits for the end of another job with its unique key. */
        AFTER_OTHER_JOB,
        /** It runs after other steps of its workflow. */
        AFTER_STEPS,
        /** Its queue, its type or everything is paused. */
        PAUSED,
        /** No living node runs jobs of its queue. */
        NO_NODE,
        /** No living node of its queue has a listener for its type. */
        NO_LISTENER,
        /** As many jobs of its queue run as its limit allows. */
        QUEUE_FULL,
        /** As many jobs of its key run as the limit allows. */
        KEY_FULL,
        /** As many jobs of its key run as the limit allows, or more: it waits for an idle place that it may borrow, up to its burst. */
        KEY_BURST,
        /** Jobs of its key run in order, and one that has begun waits for its next attempt, or is dead, or the first one is of a paused type. */
        KEY_HELD,
        /** The rate of its queue, or of its key, is used up, or was slowed down. */
        RATE,
        /** The policy of its queue has not chosen it yet. */
        POLICY,
        /** Other jobs of its queue, or of its key, come first. */
        BEHIND_OTHERS,
        /** Nothing holds it up that the database shows: a node claims it as soon as it has a free thread. */
        NEXT,
        /** A node has claimed it. */
        RUNNING,
        /** It has ended. */
        ENDED
    }
}
