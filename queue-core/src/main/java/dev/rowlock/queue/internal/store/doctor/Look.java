package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A statement that shows one cause. It returns a few rows, each of which is a case of it. */
public interface Look {

    /** Written for the schema {@code rowlock}. */
    String sql();

    /** Its parameters, in their order. */
    default List<Object> parameters(Schema schema) {
        return List.of();
    }

    /** Runs it. Columns keep their order; a null is the text "null". */
    default List<Map<String, String>> run(Connection connection, Schema schema) throws SQLException {
        try (PreparedStatement query = UncachedPlan.prepare(connection, schema.sql(sql()))) {
            int place = 1;
            for (Object parameter : parameters(schema)) {
                query.setObject(place++, parameter);
            }
            Row<Map<String, String>> asText = Look::texts;
            return asText.all(query);
        }
    }

    private static Map<String, String> texts(ResultSet row) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        Map<String, String> texts = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            texts.put(columns.getColumnLabel(i), String.valueOf(row.getString(i)));
        }
        return texts;
    }
}
