package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import java.sql.Connection;
import java.sql.SQLException;

/** Refuses filters that ask for what is encrypted: they would find nothing, and nobody would know why. */
public final class SealedTexts {

    // What is newest tells what is written now. Large payloads lie elsewhere, and their jobs are passed over.
    private static final String OF_JOBS_THAT_MAY_RUN = """
            SELECT count(*) > 0
              FROM ((SELECT payload, errors FROM rowlock.waiting ORDER BY id DESC LIMIT 5) UNION ALL
                    (SELECT payload, errors FROM rowlock.ready ORDER BY id DESC LIMIT 5) UNION ALL
                    (SELECT payload, errors FROM rowlock.running ORDER BY id DESC LIMIT 5) UNION ALL
                    (SELECT payload, errors FROM rowlock.dead ORDER BY id DESC LIMIT 5)) AS newest
             WHERE starts_with(payload::text, '{"$enc"') OR errors -> -1 -> '$enc' IS NOT NULL
            """;

    // Apart, because it locks each partition until the transaction ends.
    private static final String OF_DONE_JOBS = """
            SELECT count(*) > 0
              FROM (SELECT payload, errors FROM rowlock.done ORDER BY id DESC LIMIT 5) AS newest
             WHERE starts_with(payload::text, '{"$enc"') OR errors -> -1 -> '$enc' IS NOT NULL
            """;

    private SealedTexts() {}

    /**
     * For bulk actions, which never touch jobs that are done.
     *
     * @throws IllegalArgumentException if this process encrypts, or if the newest jobs are encrypted
     */
    public static void refuse(Database database, Connection connection, JobFilter filter) throws SQLException {
        if (asksForText(filter)
                && (database.encryption().seals() || found(database, connection, OF_JOBS_THAT_MAY_RUN))) {
            throw refusal(filter);
        }
    }

    /** The same for searches. */
    static void refuseSearch(Database database, Connection connection, JobFilter filter) throws SQLException {
        refuse(database, connection, filter);
        if (asksForText(filter) && mayBeDone(filter) && found(database, connection, OF_DONE_JOBS)) {
            throw refusal(filter);
        }
    }

    private static boolean mayBeDone(JobFilter filter) {
        return filter.states().isEmpty()
                || filter.states().contains(JobState.COMPLETED)
                || filter.states().contains(JobState.CANCELLED);
    }

    private static boolean asksForText(JobFilter filter) {
        return filter.text(Criterion.PAYLOAD) != null || filter.text(Criterion.ERROR_TEXT) != null;
    }

    private static boolean found(Database database, Connection connection, String sql) throws SQLException {
        return ColdStatement.on(connection, database.sql(sql)).only(row -> row.getBoolean(1));
    }

    private static IllegalArgumentException refusal(JobFilter filter) {
        return new IllegalArgumentException(
                "%s are encrypted, so that the database cannot look for %s: search by queue, type, key, unique key, header, time, error type or fingerprint"
                        .formatted(filter.text(Criterion.PAYLOAD) != null ? "payloads" : "messages of errors", filter));
    }
}
