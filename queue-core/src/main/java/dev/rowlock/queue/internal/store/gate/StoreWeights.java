package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.Affected;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Sets and lists the weights of keys. Joins the caller's transaction. */
public final class StoreWeights {

    private static final String SET = """
            WITH asked AS (
                SELECT ?::text AS queue, ?::text AS job_key, ?::int AS weight
            ), gone AS (
                DELETE FROM rowlock.key_weight w USING asked a
                 WHERE w.queue = a.queue AND w.job_key = a.job_key AND a.weight = 1
                RETURNING w.queue
            ), written AS (
                INSERT INTO rowlock.key_weight AS w (queue, job_key, weight)
                SELECT queue, job_key, weight FROM asked WHERE weight > 1
                ON CONFLICT (queue, job_key) DO UPDATE SET weight = excluded.weight
                RETURNING queue
            ), changed AS (
                SELECT queue FROM gone UNION ALL SELECT queue FROM written
            )
            """ + AuditNote.ofNoJobs("changed") + "SELECT count(*) FROM changed";

    private static final String LIST = "SELECT job_key, weight FROM rowlock.key_weight WHERE queue = ?";

    private static final String HIGHEST = LIST + " ORDER BY weight DESC, job_key LIMIT ?";

    private final Database database;

    public StoreWeights(Database database) {
        this.database = database;
    }

    /** @param weight 1 to 1,000 */
    public void set(String queue, String key, int weight, AuditNote note) {
        database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(SET))) {
                statement.setString(1, queue);
                statement.setString(2, key);
                statement.setInt(3, weight);
                AuditNote.set(statement, 4, note);
                return Affected.any(statement);
            }
        });
    }

    /** Weights by key. */
    public Map<String, Integer> of(String queue) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(LIST))) {
                statement.setString(1, queue);
                return read(statement, new TreeMap<>());
            }
        });
    }

    /** The highest weights first, then by key. */
    public Map<String, Integer> highest(String queue, int limit) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(HIGHEST))) {
                statement.setString(1, queue);
                statement.setInt(2, limit);
                return read(statement, new LinkedHashMap<>());
            }
        });
    }

    private static Map<String, Integer> read(PreparedStatement statement, Map<String, Integer> weights)
            throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                weights.put(rows.getString(1), rows.getInt(2));
            }
        }
        return weights;
    }
}
