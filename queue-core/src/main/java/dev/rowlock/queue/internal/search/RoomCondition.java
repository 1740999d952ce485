package dev.rowlock.queue.internal.search;

import java.util.Map;

/**
 * What a filter asks of the rows of one room: SQL to stand behind {@code WHERE} or {@code AND}, written for the schema {@code
 * rowlock}, made of fixed texts. It names columns without a table, so the room must be the only table around it. The plan depends on the values: it
 * is for a {@link dev.rowlock.queue.internal.db.ColdStatement}.
 *
 * @param sql a boolean expression that may stand beside {@code AND} as it is
 * @param values of its parameters, the same for all rooms of a filter; their names begin with {@code filter_}
 */
public record RoomCondition(SearchedRoom room, String sql, Map<String, Object> values) {}
