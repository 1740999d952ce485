package dev.rowlock.queue.internal.store.node;

import dev.rowlock.queue.internal.store.Database;

/** What is done about jobs whose deadline has passed. */
public record OverdueStatements(FindOverdueJobs find, TakeOverdueJobs take, PostponeDeadlines postpone) {

    public OverdueStatements(Database database) {
        this(new FindOverdueJobs(database), new TakeOverdueJobs(database), new PostponeDeadlines(database));
    }
}
