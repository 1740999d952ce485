package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Sets and lists the weights of keys. Joins the caller's transaction. */
public final class StoreWeights {

    private static final String SET = """
            WITH asked AS (
                SELECT :queue::text AS queue, :key::text AS job_key, :weight::int AS weight
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
            """ + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    private static final String LIST = "SELECT job_key, weight FROM rowlock.key_weight WHERE queue = :queue";

    private static final String HIGHEST = LIST + " ORDER BY weight DESC, job_key LIMIT :limit";

    private final Database database;

    public StoreWeights(Database database) {
        this.database = database;
    }

    /** @param weight 1 to 1,000 */
    public void set(String queue, String key, int weight, AuditNote note) {
        database.joined(connection -> ColdStatement.on(connection, database.sql(SET))
                .set("queue", queue)
                .set("key", key)
                .set("weight", weight)
                .set(AuditNote.values(note))
                .list(row -> row.getString(1)));
    }

    /** Weights by key. */
    public Map<String, Integer> of(String queue) {
        return database.joined(connection ->
                read(ColdStatement.on(connection, database.sql(LIST)).set("queue", queue), new TreeMap<>()));
    }

    /** The highest weights first, then by key. */
    public Map<String, Integer> highest(String queue, int limit) {
        return database.joined(connection -> read(
                ColdStatement.on(connection, database.sql(HIGHEST))
                        .set("queue", queue)
                        .set("limit", limit),
                new LinkedHashMap<>()));
    }

    private static Map<String, Integer> read(ColdStatement statement, Map<String, Integer> weights)
            throws SQLException {
        statement.list(row -> weights.put(row.getString(1), row.getInt(2)));
        return weights;
    }
}
