package dev.rowlock.queue.internal.db;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A move of jobs from one room to others, in words. It yields one statement: common table expressions that delete rows, an INSERT for each room
 * they come to, named {@code into_done} for instance, and what is asked of them.
 *
 * <p>Each row goes to the first room whose condition is true for it, and to the last one, which has none, if no other is: a condition that is null
 * loses no job. What a room has and the row brings along goes with it, unless the move sets another value.
 */
public final class Move {

    // The array keeps the plan at the primary key, whatever the statistics say. The token is the fence: a claim that
    // was lost finds no row.
    private static final String CLAIMED = """
            WITH outcome AS MATERIALIZED (
                SELECT * FROM unnest(%s) AS o (%s)
            ), moved AS (
                DELETE FROM rowlock.running r
                 USING outcome o
                 WHERE r.id = ANY (ARRAY(SELECT id FROM outcome)) AND r.id = o.id AND r.token = o.token
                RETURNING %s
            )""";

    private static final String INSERT = """
            INSERT INTO rowlock.%s (%s)
                SELECT %s
                  FROM %s""";

    // Rows that are claimed one after another lie side by side on disk.
    private static final String QUEUE_ORDER = "\n     ORDER BY queue COLLATE \"C\", rank, id";

    /** A room that some of the rows come to. */
    private static final class Target {
        private final Room room;
        private final Map<String, String> values = new LinkedHashMap<>();
        private @Nullable String condition;
        private String order = "";
        private String returning = "";

        Target(Room room) {
            this.room = room;
        }
    }

    private final String found;
    private final String rows;
    private final Collection<String> brought;
    private final Map<String, String> everywhere = new LinkedHashMap<>();
    private final List<Target> targets = new ArrayList<>();

    private Move(String found, String rows, Collection<String> brought) {
        this.found = found;
        this.rows = rows;
        this.brought = brought;
    }

    /**
     * Claimed jobs whose claims are still held, as {@code moved}. The first parameters are their ids and their tokens.
     *
     * @param said what else is said of each, as the next parameters: {@code reason text, error text}; it stands in {@code o}
     * @param returning columns of {@code r}, the row in running, and of {@code o}
     */
    public static Move claimed(String said, String returning) {
        List<String> outcome = Room.split("id bigint, token bigint" + (said.isEmpty() ? "" : ", " + said));
        String types =
                outcome.stream().map(each -> "?::" + each.split(" ")[1] + "[]").collect(Collectors.joining(", "));
        String names = outcome.stream().map(each -> each.split(" ")[0]).collect(Collectors.joining(", "));
        return from(Room.RUNNING, "moved", CLAIMED.formatted(types, names, returning));
    }

    /**
     * Jobs that were in a room.
     *
     * @param rows what follows FROM
     * @param found common table expressions that delete them; the last one is closed
     */
    public static Move from(Room room, String rows, String found) {
        return new Move(found, rows, room.columns().keySet());
    }

    /** Jobs that were in any room, with the columns that all rooms have, {@link Room#JOB}; else as {@link #from}. */
    public static Move of(String rows, String found) {
        return new Move(found, rows, Room.split(Room.JOB));
    }

    /**
     * Jobs that are new: their payloads and headers as text; else as {@link #from}.
     *
     * @param brought what they have; other columns are empty
     */
    public static Move created(String rows, String brought, String found) {
        return new Move(found, rows, Room.split(brought))
                .with("enqueued_at = statement_timestamp()", "payload = payload::json", "headers = headers::json");
    }

    /** The room that they come to; and values of columns there, such as {@code state = 'cancelled'}. */
    public Move to(Room room, String... values) {
        if (!targets.isEmpty()) {
            throw new IllegalStateException(
                    "rows that go to " + targets.get(0).room + " do not go to " + room + " too");
        }
        return next(room, values);
    }

    /** The room that the others come to, for which no condition before was true. */
    public Move orTo(Room room, String... values) {
        if (last().condition == null) {
            throw new IllegalStateException("all rows go to " + last().room + ", none to " + room);
        }
        return next(room, values);
    }

    private Move next(Room room, String... values) {
        if (targets.stream().anyMatch(target -> target.room == room)) {
            throw new IllegalStateException(room + " is there twice");
        }
        Target target = new Target(room);
        targets.add(target);
        add(target.values, values);
        return this;
    }

    /** Only rows for which this is true come to the room. */
    public Move when(String condition) {
        last().condition = condition;
        return this;
    }

    /** Values of columns in each room, such as {@code attempt = attempt - 1}. */
    public Move with(String... values) {
        add(everywhere, values);
        if (!Room.split(Room.JOB).containsAll(everywhere.keySet())) {
            throw new IllegalStateException("not each room has the columns " + everywhere.keySet());
        }
        return this;
    }

    private static void add(Map<String, String> columns, String... values) {
        for (String value : values) {
            int equals = value.indexOf(" = ");
            columns.put(value.substring(0, equals), value.substring(equals + 3));
        }
    }

    /** The order in which rows are written that are claimed in this order. */
    public Move inQueueOrder() {
        last().order = QUEUE_ORDER;
        return this;
    }

    /** What can be asked of the rows that came to the room. */
    public Move returning(String columns) {
        last().returning = "\n    RETURNING " + columns;
        return this;
    }

    /** The whole statement: its end, which begins with a comma if it is one more common table expression. */
    public String answering(String end) {
        StringBuilder sql = new StringBuilder(found);
        for (int i = 0; i < targets.size(); i++) {
            sql.append(found.isEmpty() && i == 0 ? "" : ", ")
                    .append("into_%s AS (\n    ".formatted(targets.get(i).room.table()))
                    .append(insert(i))
                    .append("\n)");
        }
        requireAll();
        return sql.append('\n').append(end).toString();
    }

    private void requireAll() {
        if (!targets.isEmpty() && last().condition != null) {
            throw new IllegalStateException("rows that do not go to " + last().room + " are lost");
        }
    }

    private Target last() {
        return targets.get(targets.size() - 1);
    }

    private String insert(int number) {
        Target target = targets.get(number);
        Map<String, String> values = values(target);
        List<String> conditions = new ArrayList<>();
        targets.subList(0, number).forEach(before -> conditions.add("(" + before.condition + ") IS NOT TRUE"));
        if (target.condition != null) {
            conditions.add(conditions.isEmpty() ? target.condition : "(" + target.condition + ")");
        }
        return INSERT.formatted(
                        target.room.table(),
                        String.join(", ", values.keySet()),
                        String.join(", ", values.values()),
                        rows)
                + (conditions.isEmpty() ? "" : "\n     WHERE " + String.join(" AND ", conditions))
                + target.order
                + target.returning;
    }

    private Map<String, String> values(Target target) {
        Map<String, String> said = new LinkedHashMap<>(everywhere);
        said.putAll(target.values);
        Map<String, String> values = new LinkedHashMap<>();
        target.room.columns().forEach((column, otherwise) -> {
            String value = said.getOrDefault(column, brought.contains(column) ? column : otherwise);
            if (value.equals("!")) {
                throw new IllegalStateException("nothing says what %s is in %s".formatted(column, target.room));
            }
            if (!value.equals("?")) {
                values.put(column, value);
            }
        });
        target.values.keySet().stream()
                .filter(column -> !values.containsKey(column))
                .forEach(column -> {
                    throw new IllegalStateException("%s has no column %s".formatted(target.room, column));
                });
        return values;
    }
}
