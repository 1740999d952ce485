package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.db.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The migrations that a database has seen.
 *
 * @param applied checksums by version
 */
record SchemaHistory(Map<String, Integer> applied) {

    /** Flyway's table in our schema. */
    static final String TABLE = "schema_history";

    private static final String EXISTS = "SELECT to_regclass(?) IS NOT NULL";

    private static final String READ = """
            SELECT version, checksum
              FROM rowlock.schema_history
             WHERE success AND version IS NOT NULL -- Flyway's note that it made the schema has none
            """;

    SchemaHistory {
        applied = Map.copyOf(applied);
    }

    /** Returns nothing if the schema or its history does not exist. */
    static Optional<SchemaHistory> read(Connection connection, Schema schema) throws SQLException {
        return exists(connection, schema, TABLE) ? Optional.of(readAll(connection, schema)) : Optional.empty();
    }

    static boolean exists(Connection connection, Schema schema, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EXISTS)) {
            statement.setString(1, schema.sql("rowlock." + table));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    private static SchemaHistory readAll(Connection connection, Schema schema) throws SQLException {
        Map<String, Integer> applied = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(schema.sql(READ))) {
            while (rows.next()) {
                applied.put(rows.getString(1), rows.getInt(2));
            }
        }
        return new SchemaHistory(applied);
    }

    /** Those of the scripts that are still to be applied, oldest first. */
    List<SchemaScript> missing(List<SchemaScript> scripts) {
        return scripts.stream().filter(script -> checksumOf(script) == null).toList();
    }

    /** Those of the scripts that were applied from another text than this release has. */
    List<SchemaScript> changed(List<SchemaScript> scripts) {
        return scripts.stream()
                .filter(script -> {
                    Integer checksum = checksumOf(script);
                    return checksum != null && checksum != script.checksum();
                })
                .toList();
    }

    private @Nullable Integer checksumOf(SchemaScript script) {
        return applied.get(Integer.toString(script.version()));
    }
}
