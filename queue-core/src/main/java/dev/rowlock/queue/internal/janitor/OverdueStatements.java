package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is done about running jobs whose deadline has passed on the server's clock, which may have been set since they were claimed. */
public final class OverdueStatements {

    private static final String FIND = IndexPlan.PREFIX + """
            SELECT id, token, node_id, date_part('epoch', deadline),
                   (1000 * date_part('epoch', deadline - claimed_at))::bigint
              FROM rowlock.running
             WHERE deadline < statement_timestamp() - ? * interval '1 ms'
             ORDER BY deadline LIMIT 1000
            """;

    // A row that somebody has locked is about to change, or comes again.
    private static final String POSTPONE = IndexPlan.PREFIX + """
            UPDATE rowlock.running SET deadline = statement_timestamp() + ? * interval '1 ms'
             WHERE ctid = ANY (ARRAY(
                   SELECT r.ctid FROM rowlock.running r
                     JOIN unnest(?::bigint[], ?::bigint[]) AS h (id, token) ON r.id = h.id AND r.token = h.token
                    WHERE r.id = ANY (?::bigint[])
                    ORDER BY r.id
                      FOR UPDATE OF r SKIP LOCKED))
            """;

    // By text: jsonb takes no escaped NUL.
    private static final String ALONE = """
            CASE WHEN NOT shared OR headers::text COLLATE "C" ~ '[{,][[:space:]]*"%1$s"[[:space:]]*:' THEN headers
                            WHEN headers IS NULL OR headers::text COLLATE "C" ~ '^[[:space:]]*[{][[:space:]]*[}][[:space:]]*$' THEN '{"%1$s":"true"}'
                            ELSE regexp_replace(headers::text COLLATE "C", '[{]', '{"%1$s":"true",')::json END""".formatted(Headers.ALONE);

    private static final String TAKE = IndexPlan.PREFIX
            + Move.from(Room.RUNNING, "judged", """
                    WITH overdue AS (
                        DELETE FROM rowlock.running
                         WHERE ctid = ANY (ARRAY(
                               SELECT r.ctid FROM rowlock.running r
                                 JOIN unnest(?::bigint[], ?::bigint[]) AS o (id, token) ON r.id = o.id AND r.token = o.token
                                WHERE r.id = ANY (?::bigint[])
                                ORDER BY r.id
                                  FOR UPDATE OF r SKIP LOCKED))
                        RETURNING *, rowlock.with_error(errors, attempt, node_id, jsonb_build_object('claimedAt', claimed_at, 'type', 'timeout', 'trace', '', 'message',
                            'still running after its deadline; its node did not stop it')) AS history
                    ), policed AS (
                        -- To look for one header, PostgreSQL reads them all, and refuses an escaped NUL, or half a surrogate pair, in
                        -- any. An n in place of backslash and u leaves plain letters, or a line break behind a backslash of the text's
                        -- own. Rowlock's header has neither.
                        SELECT o.*, o.id = ANY (?::bigint[]) AS shared, coalesce((replace(o.headers::text, E'\\\\u', 'n')::json ->> 'rowlock-retry')::jsonb,
                                             n.retries -> o.type) AS policy
                          FROM overdue o
                          LEFT JOIN rowlock.node n ON n.id = o.node_id
                    ), waiting AS (
                        SELECT *, coalesce((policy -> 'waits' ->> (least(attempt, jsonb_array_length(policy -> 'waits')) - 1))::bigint, ? /* wait_millis */)
                               AS wait_millis
                          FROM policed
                    ), judged AS (
                        SELECT *, CASE WHEN cancel_requested THEN 'cancelled'
                                       WHEN shared THEN 'retry'
                                       WHEN attempt > coalesce(max_retries, (policy ->> 'maxRetries')::int, ? /* max_retries */) THEN 'dead'
                                       WHEN statement_timestamp() + wait_millis * interval '1 ms'
                                            > enqueued_at + (policy ->> 'giveUpAfter')::bigint * interval '1 ms' THEN 'dead'
                                       ELSE 'retry' END AS fate
                          FROM waiting
                    )""")
                    .with("errors = history")
                    .to(Room.DONE, "state = 'cancelled'")
                    .when("fate = 'cancelled'")
                    .orTo(Room.DEAD, "state = 'dead'")
                    .when("fate = 'dead'")
                    .orTo(
                            Room.WAITING,
                            "due_at = statement_timestamp() + wait_millis * interval '1 ms'",
                            "reason = 'retry'",
                            "attempt = CASE WHEN shared THEN attempt - 1 ELSE attempt END",
                            "headers = " + ALONE)
                    .answering(
                            "SELECT queue, count(*), min(wait_millis) FILTER (WHERE fate = 'retry') FROM judged GROUP BY queue");

    /**
     * A job that looks overdue.
     *
     * @param deadline in seconds of the server's clock
     * @param allowed how long it may run
     */
    public record Overdue(Claim claim, long nodeId, double deadline, Duration allowed) {}

    /**
     * What was taken in one queue.
     *
     * @param again when the first of them runs again; null: none does
     */
    public record Taken(String queue, int jobs, @Nullable Duration again) {}

    private static final Row<Taken> TAKEN = row -> {
        Long millis = Columns.number(row, 3);
        return new Taken(row.getString(1), row.getInt(2), millis == null ? null : Duration.ofMillis(millis));
    };

    private final Database database;

    /** Finds running jobs whose deadline passed longer ago than this, a thousand at most. */
    private final String find;

    private final String postpone;
    private final String take;
    private final EnsureDonePartitions partitions;

    public OverdueStatements(Database database) {
        this.database = database;
        this.find = database.sql(FIND);
        this.postpone = database.sql(POSTPONE);
        this.take = database.sql(TAKE);
        this.partitions = new EnsureDonePartitions(database);
    }

    /** Finds those whose deadline passed longer ago than this, a thousand at most. */
    public List<Overdue> find(Duration grace) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, find)) {
                statement.setLong(1, grace.toMillis());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    List<Overdue> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(new Overdue(
                                new Claim(rows.getLong(1), rows.getLong(2)),
                                rows.getLong(3),
                                rows.getDouble(4),
                                Duration.ofMillis(rows.getLong(5))));
                    }
                    return found;
                }
            }
        });
    }

    /** Moves the deadlines of jobs that their own node knows to be in time, to this long from now. Leaves out claims that were lost, and rows that somebody has locked. */
    public void postpone(List<Claim> held, Duration fromNow) {
        if (held.isEmpty()) {
            return;
        }
        database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, postpone)) {
                statement.setLong(1, fromNow.toMillis());
                statement.setObject(2, Columns.longs(held, Claim::jobId));
                statement.setObject(3, Columns.longs(held, Claim::token));
                statement.setObject(4, Columns.longs(held, Claim::jobId));
                statement.execute();
                return held;
            }
        });
    }

    /**
     * Takes jobs past their deadline from nodes that did not stop them in time. The attempt has failed: back to waiting, or to dead once the retries,
     * or the time for them, are used up: the job's own, or those that its node has registered for its listener.
     *
     * <p>A job whose call has others is charged nothing, since the call may hang on any of them. It runs alone from then on: {@link Headers#ALONE}.
     *
     * @param overdue claims whose deadline has passed, grace included; who knows that, does not go by the server's clock
     * @param maxRetries where neither job nor node says how often
     * @param delay how long a job waits that is tried again, where its node does not say
     */
    public List<Taken> take(List<OverdueClaim> overdue, int maxRetries, Duration delay) {
        return partitions.around(() -> database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, take)) {
                long[] ids = Columns.longs(overdue, late -> late.claim().jobId());
                statement.setObject(1, ids);
                statement.setObject(
                        2, Columns.longs(overdue, late -> late.claim().token()));
                statement.setObject(3, ids);
                statement.setObject(
                        4,
                        Columns.longs(
                                overdue.stream().filter(OverdueClaim::shared).toList(),
                                late -> late.claim().jobId()));
                statement.setLong(5, delay.toMillis());
                statement.setInt(6, maxRetries);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    List<Taken> taken = new ArrayList<>();
                    while (rows.next()) {
                        taken.add(TAKEN.read(rows));
                    }
                    return taken;
                }
            }
        }));
    }
}
