package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.thread.TimeBudget;
import java.util.List;

/** A part of the queue of which the engine knows only that it has something to do again and again on each node that runs jobs. */
public interface Feature {

    /** For its thread: {@code rowlock-} and this. */
    String name();

    /**
     * What it does on this node, on one thread of its own; anew at each start.
     */
    List<Chore> chores(OwnNode node);

    /** The node stops: its last outcomes are written, and these chores have ended. For what other nodes would find late, or nobody if there are none. */
    default void last(TimeBudget longest) {}
}
