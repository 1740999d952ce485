package dev.rowlock.queue.search;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of groups of dead jobs.
 *
 * @param groups the largest first
 * @param next the page behind it; null: there is none
 */
public record DeadGroups(List<DeadGroup> groups, @Nullable GroupPage next) {

    public DeadGroups {
        groups = List.copyOf(groups);
    }
}
