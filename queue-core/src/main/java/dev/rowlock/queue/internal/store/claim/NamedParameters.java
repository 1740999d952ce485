package dev.rowlock.queue.internal.store.claim;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values for a statement whose text has names instead of question marks, because it is put together from pieces. */
final class NamedParameters {

    private final Map<String, @Nullable Object> values = new HashMap<>();

    /** Numbers, texts, flags, and arrays of them as the driver takes them. */
    NamedParameters with(String name, @Nullable Object value) {
        values.put(name, value);
        return this;
    }

    NamedParameters texts(String name, List<String> texts) {
        return with(name, texts.toArray(String[]::new));
    }

    NamedParameters ids(String name, List<Long> ids) {
        return with(name, ids.stream().mapToLong(Long::longValue).toArray());
    }

    void set(PreparedStatement statement, List<String> names) throws SQLException {
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (!values.containsKey(name)) {
                throw new IllegalStateException("no value for parameter '" + name + "'");
            }
            Object value = values.get(name);
            if (value == null) {
                statement.setString(i + 1, null);
            } else {
                statement.setObject(i + 1, value);
            }
        }
    }
}
