package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.workflow.RunsAfter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A step on its way into the tables.
 *
 * @param parents numbers of the steps that come first
 * @param due of its jobs once they are released; null: at once
 */
public record NewStep(
        int number, String name, boolean accepts, @Nullable Due due, Map<Integer, RunsAfter> parents) {

    public boolean waits() {
        return !parents.isEmpty();
    }
}
