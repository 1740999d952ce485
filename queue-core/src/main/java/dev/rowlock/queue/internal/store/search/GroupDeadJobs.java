package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import java.util.EnumSet;
import java.util.List;

/** Dead jobs by the fingerprint of their last error, the largest group first. Each page counts all jobs that match, in an index where that is enough. */
public final class GroupDeadJobs {

    private static final String SQL = """
            SELECT g.*, d.type, coalesce(d.errors -> -1 ->> 'type', '') AS error_type, coalesce(d.errors -> -1 ->> 'message', '') AS message,
                   coalesce(rowlock.thrown_by(d.errors -> -1), '') AS thrown_by,
                   ARRAY(SELECT count(lately.hours_ago)
                           FROM generate_series(23, 0, -1) AS h (ago)
                           LEFT JOIN (SELECT floor(extract(epoch FROM statement_timestamp() - died_at) / 3600) AS hours_ago
                                        FROM (SELECT died_at FROM rowlock.dead WHERE fingerprint = g.fingerprint AND %1$s ORDER BY id DESC LIMIT :trend_of) AS newest
                                       WHERE died_at > statement_timestamp() - interval '24 h') AS lately ON lately.hours_ago = h.ago
                          GROUP BY h.ago
                          ORDER BY h.ago DESC) AS trend
              FROM (SELECT fingerprint, count(*) AS jobs, min(died_at) AS first_died_at, max(died_at) AS last_died_at, max(id) AS newest
                      FROM rowlock.dead
                     WHERE %1$s
                     GROUP BY fingerprint
                    HAVING (count(*), fingerprint) < (:jobs, :fingerprint)
                     ORDER BY jobs DESC, fingerprint DESC LIMIT :limit
                   ) AS g
              JOIN rowlock.dead AS d ON d.id = g.newest
             ORDER BY g.jobs DESC, g.fingerprint DESC
            """;

    /** How many jobs of a group its trend is made of: the newest ones, read in the index. */
    private static final int TREND_OF = 20_000;

    /** Behind all fingerprints. */
    private static final String LAST = "g";

    private final BoundedSearch search;

    public GroupDeadJobs(BoundedSearch search) {
        this.search = search;
    }

    /** One row more than the page has, if there is one. */
    public <T> List<T> run(JobFilter filter, GroupPage page, Row<T> row) {
        RoomCondition condition = FilterConditions.of(filter, EnumSet.of(SearchedRoom.DEAD), "deadByError")
                .get(0);
        String sql = search.database().sql(SQL.formatted(condition.sql()));
        return search.run(
                filter,
                connection -> ColdStatement.on(connection, sql)
                        .set(condition.values())
                        .set("trend_of", TREND_OF)
                        .set("jobs", page.jobs())
                        .set("fingerprint", page.fingerprint().isEmpty() ? LAST : page.fingerprint())
                        .set("limit", page.size() + 1)
                        .list(row));
    }
}
