package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Groups jobs by the fingerprint of their last error, the largest group first. */
public final class GroupJobs {

    private static final String DEAD = """
            SELECT g.*, d.type, coalesce(d.errors -> -1 ->> 'type', '') AS error_type, (d.errors -> -1) - 'trace' AS newest_error,
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
                    HAVING (count(*), fingerprint) < (:jobs /* jobs */, :fingerprint)
                     ORDER BY jobs DESC, fingerprint DESC LIMIT :limit
                   ) AS g
              JOIN rowlock.dead AS d ON d.id = g.newest
             ORDER BY g.jobs DESC, g.fingerprint DESC
            """;

    /** How many jobs of a group its trend is made of: the newest ones, read in the index. */
    private static final int TREND_OF = 20_000;

    /** Behind all fingerprints. */
    private static final String LAST = "g";

    /** How many jobs of each room are looked at. */
    public static final int LOOKED_AT = 50_000;

    /** How many of them are grouped: each fingerprint takes 25 µs. */
    public static final int GROUPED = 10_000;

    // Each step is computed before the next one: so no more rows than that have their errors read and their fingerprint
    // made.
    private static final String RETRIED = """
            WITH failed AS MATERIALIZED (
                SELECT * FROM (%s
                ) AS looked LIMIT :grouped
            ), printed AS MATERIALIZED (
                SELECT id, type, due_at, rowlock.error_fingerprint(errors -> -1) COLLATE "C" AS fingerprint, (errors -> -1 ->> 'at')::timestamptz AS failed_at,
                       jsonb_path_query_array(errors, '$[*].at') AS attempts
                  FROM failed
            ), grouped AS MATERIALIZED (
                SELECT fingerprint, count(*) AS jobs, min(failed_at) AS first_failed_at, max(failed_at) AS last_failed_at,
                       max(due_at) AS last_due_at, max(id) AS newest
                  FROM printed
                 GROUP BY fingerprint
                 ORDER BY jobs DESC, fingerprint DESC LIMIT :limit
            ), step AS MATERIALIZED (
                SELECT fingerprint, floor(extract(epoch FROM statement_timestamp() - at::timestamptz) / 3600) AS hours_ago, count(*) AS attempts
                  FROM printed CROSS JOIN LATERAL jsonb_array_elements_text(attempts) AS at
                 GROUP BY fingerprint, hours_ago
            )
            SELECT whole.complete, g.*, n.type, coalesce(n.errors -> -1 ->> 'type', '') AS error_type,
                   (n.errors -> -1) - 'trace' AS newest_error, coalesce(rowlock.thrown_by(n.errors -> -1), '') AS thrown_by,
                   ARRAY(SELECT coalesce(s.attempts, 0)
                           FROM generate_series(23, 0, -1) AS h (ago)
                           LEFT JOIN step AS s ON s.fingerprint = g.fingerprint AND s.hours_ago = h.ago
                          ORDER BY h.ago DESC) AS trend
              FROM (SELECT (SELECT count(*) FROM failed) < :grouped /* grouped */ AND %s AS complete) AS whole
              LEFT JOIN (grouped AS g JOIN failed AS n ON n.id = g.newest) ON true
             ORDER BY g.jobs DESC, g.fingerprint DESC
            """;

    private static final String OF_ROOM = """

                    (SELECT id, type, %1$s AS due_at, errors
                       FROM (SELECT * FROM rowlock.%2$s ORDER BY %3$s LIMIT :looked_at) AS %2$s
                      WHERE errors IS NOT NULL AND %4$s
                      LIMIT :grouped)""";

    private static final String WHOLE = "NOT EXISTS (SELECT FROM rowlock.%s OFFSET :looked_at)";

    private final BoundedSearch search;

    public GroupJobs(BoundedSearch search) {
        this.search = search;
    }

    /** Dead jobs: one group more than the page has, if there is one. Each page counts all jobs that match, in an index where that is enough. */
    public <T> List<T> dead(JobFilter filter, GroupPage page, Row<T> row) {
        RoomCondition condition = FilterConditions.of(filter, EnumSet.of(SearchedRoom.DEAD), "deadByError")
                .get(0);
        String sql = search.database().sql(DEAD.formatted(condition.sql()));
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

    /** @param complete whether there was nothing more to look at */
    public record Found<T>(List<T> groups, boolean complete) {}

    /**
     * Jobs with a failed attempt that have not ended: as many groups as there are, up to {@code size}. No index knows who has failed,
     * so only the front of each room is read: the jobs that are due next, and the oldest that are ready. A job that is tried
     * again is older than most.
     */
    public <T> Found<T> retried(JobFilter filter, int size, Row<T> row) {
        List<RoomCondition> conditions = FilterConditions.of(
                filter, EnumSet.of(SearchedRoom.WAITING, SearchedRoom.READY, SearchedRoom.RUNNING), "retryingByError");
        String sql = search.database().sql(text(conditions));
        return search.run(filter, connection -> {
            ColdStatement statement = ColdStatement.on(connection, sql)
                    .set("looked_at", LOOKED_AT)
                    .set("grouped", GROUPED)
                    .set("limit", size + 1);
            conditions.forEach(condition -> statement.set(condition.values()));
            List<Line<T>> lines = statement.list(line(row));
            return new Found<>(
                    lines.stream()
                            .flatMap(line -> line.group.stream())
                            .limit(size)
                            .toList(),
                    lines.size() <= size && lines.stream().allMatch(Line::complete));
        });
    }

    /** One is there even if there is no group. */
    private record Line<T>(boolean complete, Optional<T> group) {}

    private static <T> Row<Line<T>> line(Row<T> row) {
        return found -> new Line<>(
                found.getBoolean("complete"),
                found.getString("fingerprint") == null ? Optional.empty() : Optional.of(row.read(found)));
    }

    private static String text(List<RoomCondition> conditions) {
        return RETRIED.formatted(
                conditions.stream()
                        .map(condition -> OF_ROOM.formatted(
                                condition.room().time(JobTime.DUE),
                                condition.room().table(),
                                condition.room() == SearchedRoom.WAITING ? "due_at, id" : "id",
                                condition.sql()))
                        .collect(Collectors.joining("\n                    UNION ALL")),
                conditions.stream()
                        .map(condition -> WHOLE.formatted(condition.room().table()))
                        .collect(Collectors.joining(" AND ")));
    }
}
