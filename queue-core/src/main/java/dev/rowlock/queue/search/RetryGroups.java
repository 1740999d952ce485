package dev.rowlock.queue.search;

import java.util.List;

/**
 * Jobs that are tried again, by kinds of error.
 *
 * @param groups the largest first
 * @param complete whether all jobs were looked at, and all groups are here
 */
public record RetryGroups(List<RetryGroup> groups, boolean complete) {

    public RetryGroups {
        groups = List.copyOf(groups);
    }
}
