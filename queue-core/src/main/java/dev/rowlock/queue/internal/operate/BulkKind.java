package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.search.FilterConditions;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.internal.search.SearchedRoom;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What each kind of bulk action does, and where; and the statements of a batch, put together from the filter's conditions. */
enum BulkKind {
    REDRIVE(
            "-- Redrives the given jobs, from dead to waiting.\n",
            EnumSet.of(SearchedRoom.DEAD),
            JobStatements::redriven,
            ""),
    DISCARD(
            "-- Discards the given jobs: removes them from dead, and counts them in dropped.\n",
            EnumSet.of(SearchedRoom.DEAD),
            UnaryOperator.identity(),
            ", discarded AS (TABLE taken), " + JobStatements.DISCARDED_NOTED),
    CANCEL(
            "-- Cancels the given jobs, from waiting and ready to done.\n",
            EnumSet.of(SearchedRoom.WAITING, SearchedRoom.READY),
            JobStatements::cancelled,
            "");

    private final String says;
    private final Set<SearchedRoom> rooms;
    private final UnaryOperator<Move> move;
    private final String noted;

    BulkKind(String says, Set<SearchedRoom> rooms, UnaryOperator<Move> move, String noted) {
        this.says = says;
        this.rooms = rooms;
        this.move = move;
        this.noted = noted;
    }

    static BulkKind of(BulkAction.Kind kind) {
        return valueOf(kind.name());
    }

    /** Empty: another release knows it. */
    static Optional<BulkKind> of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label().equals(label))
                .findAny();
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The jobs that match, in the rooms where it acts.
     *
     * @throws IllegalArgumentException if the filter has no condition, or no job there can match
     */
    List<RoomCondition> conditions(JobFilter filter) {
        return FilterConditions.of(filter, rooms, label());
    }

    private static final String BOUNDS = """
            WITH bounds AS MATERIALIZED (
                SELECT given.*, b.refused_ids
                  FROM (SELECT :after_id::bigint AS after_id, :last_id::bigint AS last_id, :created_at::timestamptz AS created_at, :most::int AS most,
                               :stretch::int AS stretch) AS given
                  JOIN rowlock.bulk_action b ON b.id = :action_id
            )""";

    private static final String STRETCH = """
            , stretch_%1$s AS MATERIALIZED (
                SELECT count(*) AS jobs, max(id) AS last_id
                  FROM (SELECT id FROM rowlock.%1$s
                         WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                         ORDER BY id LIMIT (SELECT stretch FROM bounds)) AS %1$s
            )""";

    private static final String STRETCH_END =
            "(SELECT s.last_id FROM stretch_%s s WHERE s.jobs = (SELECT stretch FROM bounds))";

    private static final String REACH = ", reach AS MATERIALIZED (SELECT least(%s, last_id) AS id FROM bounds)";

    // The stretch is cut before the filter looks at it, so that a batch of a filter that nothing matches ends as well.
    private static final String NEXT = """
            , next_%1$s AS MATERIALIZED (
                SELECT id FROM (SELECT * FROM rowlock.%1$s
                                 WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT id FROM reach)
                                 ORDER BY id LIMIT (SELECT stretch FROM bounds)) AS %1$s
                 WHERE %2$s%3$s AND id NOT IN (SELECT unnest(refused_ids) FROM bounds)
                 ORDER BY id LIMIT (SELECT most FROM bounds)
            )""";

    // A job that dies again of its redrive is none of the action's any more.
    private static final String STILL = " AND died_at <= (SELECT created_at FROM bounds)";

    private static final String NAMED = """
            WITH bounds AS MATERIALIZED (
                SELECT :created_at::timestamptz AS created_at
            ), named AS MATERIALIZED (
                SELECT unnest(:ids::bigint[]) AS id
            )""";

    // The jobs are cut out before the filter looks at them, so that it looks at no other.
    private static final String MATCHING = """
            SELECT id FROM (SELECT * FROM rowlock.%1$s WHERE id = ANY (ARRAY(SELECT id FROM named)) OFFSET 0) AS %1$s
                 WHERE %2$s%3$s""";

    private static final String TAKEN = """
            , from_%1$s AS (
                DELETE FROM rowlock.%1$s
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.%1$s WHERE id = ANY (ARRAY(SELECT id FROM matching))
                        ORDER BY id
                          FOR UPDATE SKIP LOCKED))
                RETURNING %2$s
            )""";

    /**
     * The jobs that are next, in the order of their ids. Answers which, and how far it has looked.
     *
     * @param filtered false: whether they match or not
     */
    static String next(List<RoomCondition> rooms, boolean filtered) {
        StringBuilder text = new StringBuilder("-- Finds the jobs of a bulk action that are next in %s.\n"
                        .formatted(each(rooms, "%s", " and ")))
                .append(BOUNDS)
                .append(each(rooms, STRETCH, ""))
                .append(REACH.formatted(each(rooms, STRETCH_END, ", ")));
        rooms.forEach(room -> text.append(filtered ? filtered(NEXT, room) : NEXT.formatted(table(room), "true", "")));
        return text.append("\nSELECT ARRAY(SELECT id FROM (")
                .append(each(rooms, "TABLE next_%s", " UNION ALL "))
                .append(") AS next ORDER BY id LIMIT (SELECT most FROM bounds)), (SELECT id FROM reach)")
                .toString();
    }

    /** Moves those jobs of an array that match. Answers how many, and which others match: somebody else has locked or moved them. */
    String move(List<RoomCondition> conditions) {
        String matching =
                conditions.stream().map(room -> filtered(MATCHING, room)).collect(Collectors.joining(" UNION ALL "));
        String taken = NAMED + ", matching AS MATERIALIZED (" + matching + ")" + each(conditions, TAKEN, "")
                + ", taken AS (" + each(conditions, "TABLE from_%s", " UNION ALL ") + ")";
        return says
                + move.apply(Move.of("taken", taken))
                        .answering(
                                noted
                                        + "SELECT (SELECT count(*) FROM taken), ARRAY(SELECT id FROM matching EXCEPT SELECT id FROM taken ORDER BY id)");
    }

    private static String filtered(String part, RoomCondition room) {
        return part.formatted(table(room), room.sql(), table(room).equals("dead") ? STILL : "");
    }

    private static String each(List<RoomCondition> rooms, String part, String between) {
        return rooms.stream().map(room -> part.formatted(table(room), Room.JOB)).collect(Collectors.joining(between));
    }

    private static String table(RoomCondition room) {
        return room.room().table();
    }
}
