package dev.rowlock.queue.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits that hold for all nodes, whatever their versions are from the one on that knows them. They are stored, so they outlast restarts. Thread-safe.
 *
 * <p>Each method joins the caller's transaction if there is one. A limit holds for claims that begin after its commit: jobs that run then run on, and
 * where more of them run than it allows, none begins until enough have ended.
 */
public interface QueueLimits {

    /**
     * The same in somebody's name, for the audit.
     *
     * @param who 1 to 100 characters
     * @param why up to 1,000 characters; null: nobody says
     */
    QueueLimits by(String who, @Nullable String why);

    /** Sets the limits of a queue in place of those that it had. */
    void set(QueueLimit limit);

    /** Removes the limits of a queue. False if it had none. */
    boolean remove(String queue);

    /** All of them, by the name of their queues. */
    List<QueueLimit> all();
}
