package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Row;
import java.util.List;

/** Counts all jobs by queue and state, exactly. Reads whole tables: for tests and for people, not for each scrape. */
public final class CountJobs {

    private static final String SQL =
            "SELECT queue, state, count(*) FROM rowlock.job GROUP BY queue, state ORDER BY queue, state";

    private final BoundedSearch search;
    private final String sql;

    public CountJobs(BoundedSearch search) {
        this.search = search;
        this.sql = search.database().sql(SQL);
    }

    public <T> List<T> run(Row<T> row) {
        return search.run(
                "the counts of all queues",
                connection -> ColdStatement.on(connection, sql).list(row));
    }
}
