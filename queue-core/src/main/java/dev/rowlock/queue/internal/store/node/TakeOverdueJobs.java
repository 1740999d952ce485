package dev.rowlock.queue.internal.store.node;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes jobs past their deadline from nodes that did not stop them in time. The attempt has failed: back to waiting, or to
 * dead once the retries, or the time for
 * them, are used up: the job's own, or those that its node has registered for its listener.
 *
 * <p>A job whose call has others is charged nothing, since the call may hang on any of them. It runs alone from then on: {@link
 * Headers#ALONE}.
 */
public final class TakeOverdueJobs {

    // By text: jsonb takes no escaped NUL.
    private static final String ALONE = """
            CASE WHEN NOT shared OR headers::text COLLATE "C" ~ '[{,][[:space:]]*"%1$s"[[:space:]]*:' THEN headers
                            WHEN headers IS NULL OR headers::text COLLATE "C" ~ '^[[:space:]]*[{][[:space:]]*[}][[:space:]]*$' THEN '{"%1$s":"true"}'
                            ELSE regexp_replace(headers::text COLLATE "C", '[{]', '{"%1$s":"true",')::json END""".formatted(Headers.ALONE);

    private static final String SQL = IndexPlan.PREFIX
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
                        SELECT *, coalesce((policy -> 'waits' ->> (least(attempt, jsonb_array_length(policy -> 'waits')) - 1))::bigint, ?)
                               AS wait_millis
                          FROM policed
                    ), judged AS (
                        SELECT *, CASE WHEN cancel_requested THEN 'cancelled'
                                       WHEN shared THEN 'retry'
                                       WHEN attempt > coalesce(max_retries, (policy ->> 'maxRetries')::int, ?) THEN 'failed'
                                       WHEN statement_timestamp() + wait_millis * interval '1 ms'
                                            > enqueued_at + (policy ->> 'giveUpAfter')::bigint * interval '1 ms' THEN 'failed'
                                       ELSE 'retry' END AS fate
                          FROM waiting
                    )""")
                    .with("errors = history")
                    .to(Room.DONE, "state = 'cancelled'")
                    .when("fate = 'cancelled'")
                    .orTo(Room.DEAD, "state = 'failed'")
                    .when("fate = 'failed'")
                    .orTo(
                            Room.WAITING,
                            "due_at = statement_timestamp() + wait_millis * interval '1 ms'",
                            "reason = 'retry'",
                            "attempt = CASE WHEN shared THEN attempt - 1 ELSE attempt END",
                            "headers = " + ALONE)
                    .answering(
                            "SELECT queue, count(*), min(wait_millis) FILTER (WHERE fate = 'retry') FROM judged GROUP BY queue");

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
    private final String sql;
    private final EnsureDonePartitions partitions;

    public TakeOverdueJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.partitions = new EnsureDonePartitions(database);
    }

    /**
     * Takes them.
     *
     * @param overdue claims whose deadline has passed, grace included; who knows that, does not go by the server's clock
     * @param maxRetries where neither job nor node says how often
     * @param delay how long a job waits that is tried again, where its node does not say
     */
    public List<Taken> run(List<OverdueClaim> overdue, int maxRetries, Duration delay) {
        return partitions.around(() -> database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
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
