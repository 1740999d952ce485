package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;

/** Which queues have policies, and how long those decide. Forgets those that nobody asks. */
public final class ReadPolicies {

    private static final String SQL = """
            SELECT p.queue, CASE WHEN %s THEN extract(epoch FROM p.decides_until - clock_timestamp()) * 1000 ELSE 0 END
              FROM rowlock.policy p
             ORDER BY p.queue
            """.formatted(PolicySql.DECIDES);

    // Marks that are left are those of jobs that were claimed once it did not decide any more.
    private static final String FORGET = """
            WITH gone AS (
                DELETE FROM rowlock.policy p
                 WHERE p.asked_at NOT BETWEEN clock_timestamp() - interval '1 min' AND clock_timestamp() + interval '1 min'
                   AND NOT %s
                   AND NOT EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue)
                RETURNING p.queue
            ), marks AS (
                DELETE FROM rowlock.admitted_job WHERE queue = ANY (ARRAY(SELECT queue FROM gone))
            )
            SELECT queue FROM gone
            """.formatted(PolicySql.DECIDES);

    /** @param left how long it decides unless it answers again; zero: it does not */
    public record Standing(String queue, Duration left) {

        public boolean decides() {
            return !left.isZero();
        }
    }

    private static final Row<Standing> STANDING =
            row -> new Standing(row.getString(1), Duration.ofMillis(Math.max(0, row.getLong(2))));

    private static final Row<String> QUEUE = row -> row.getString(1);

    private final Database database;
    private final String sql;
    private final String forget;

    public ReadPolicies(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.forget = database.sql(FORGET);
    }

    /** All queues that have one. */
    public List<Standing> run() {
        return all(sql, STANDING);
    }

    /** The queues whose policies nobody has asked for a minute, and for which no job waits: forgotten now. */
    public List<String> forget() {
        return all(forget, QUEUE);
    }

    private <T> List<T> all(String text, Row<T> row) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(text)) {
                return row.all(statement);
            }
        });
    }
}
