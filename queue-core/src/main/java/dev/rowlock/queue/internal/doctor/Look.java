package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.internal.doctor.Check.Case;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows one cause: a few rows, each of which is a case of it. */
interface Look {

    /** As a parameter: the name of the schema. */
    Object SCHEMA = Schema.class;

    /** Its statement, written for the schema {@code rowlock}; empty: it looks at this process. */
    String sql();

    List<Case> run(Connection connection, Schema schema) throws SQLException;

    /** A statement with its parameters. */
    static Look sql(String text, Object... parameters) {
        return new Statement(text, List.of(parameters));
    }

    /** Columns keep their order. */
    record Statement(String sql, List<Object> parameters) implements Look {

        @Override
        public List<Case> run(Connection connection, Schema schema) throws SQLException {
            try (PreparedStatement query = UncachedPlan.prepare(connection, schema.sql(sql))) {
                int place = 1;
                for (Object parameter : parameters) {
                    query.setObject(place++, parameter == SCHEMA ? schema.name() : parameter);
                }
                Row<Case> asText = row -> {
                    ResultSetMetaData columns = row.getMetaData();
                    Map<String, String> texts = new LinkedHashMap<>();
                    for (int i = 1; i <= columns.getColumnCount(); i++) {
                        texts.put(columns.getColumnLabel(i), String.valueOf(row.getString(i)));
                    }
                    return new Case(texts);
                };
                return asText.all(query);
            }
        }
    }
}
