package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Row;
import java.util.List;

/** What each node has claimed, by queue. Reads the whole of running, which holds nothing else. */
public final class CountClaimedJobs {

    private static final String SQL = """
            SELECT node_id, queue, count(*) AS jobs, min(claimed_at) AS oldest
              FROM rowlock.running
             GROUP BY node_id, queue
             ORDER BY node_id, queue
            """;

    private final BoundedSearch search;
    private final String sql;

    public CountClaimedJobs(BoundedSearch search) {
        this.search = search;
        this.sql = search.database().sql(SQL);
    }

    public <T> List<T> run(Row<T> row) {
        return search.run(
                "the jobs that nodes have claimed",
                connection -> ColdStatement.on(connection, sql).list(row));
    }
}
