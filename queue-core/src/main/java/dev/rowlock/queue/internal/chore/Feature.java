package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.thread.TimeBudget;
import java.util.List;

/** Background tasks of a feature on each node that runs jobs. */
public interface Feature {

    /** For its thread: {@code rowlock-} and this. */
    String name();

    /**
     * Its chores on this node, which share one thread; new ones at each start.
     */
    List<Chore> chores(OwnNode node);

    /**
     * Called once at the stop of the node, after its last outcomes are written and these chores have ended: for work that other
     * nodes would find late, or never if there are none.
     */
    default void last(TimeBudget longest) {}
}
