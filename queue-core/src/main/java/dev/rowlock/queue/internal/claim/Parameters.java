package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Columns;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets the parameters of a statement, one after the other. */
final class Parameters {

    private final PreparedStatement statement;
    private int set;

    Parameters(PreparedStatement statement) {
        this.statement = statement;
    }

    Parameters add(@Nullable String text) throws SQLException {
        statement.setString(++set, text);
        return this;
    }

    Parameters add(boolean value) throws SQLException {
        statement.setBoolean(++set, value);
        return this;
    }

    Parameters add(int number) throws SQLException {
        statement.setInt(++set, number);
        return this;
    }

    Parameters add(long number) throws SQLException {
        statement.setLong(++set, number);
        return this;
    }

    Parameters add(List<Long> ids) throws SQLException {
        statement.setObject(++set, Columns.longs(ids, Long::longValue));
        return this;
    }

    /** Null for null. */
    Parameters addOrNull(@Nullable List<Long> ids) throws SQLException {
        if (ids == null) {
            statement.setNull(
                    ++set, Types.ARRAY, "_int8"); // without its type, the driver asks for that first: a round trip
            return this;
        }
        return add(ids);
    }

    Parameters add(int[] numbers) throws SQLException {
        statement.setObject(++set, numbers);
        return this;
    }

    Parameters add(long[] numbers) throws SQLException {
        statement.setObject(++set, numbers);
        return this;
    }

    Parameters addTexts(List<String> texts) throws SQLException {
        statement.setObject(++set, texts.toArray(String[]::new));
        return this;
    }

    /** Three: the rank, the seconds for {@code to_timestamp}, the id. */
    Parameters add(QueuePosition position) throws SQLException {
        statement.setInt(++set, position.rank());
        statement.setDouble(++set, position.epochSeconds());
        statement.setLong(++set, position.id());
        return this;
    }
}
