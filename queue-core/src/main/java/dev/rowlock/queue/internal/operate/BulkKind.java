package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Move;
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

/** What each kind of bulk action does, and where. */
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

    /** What its move does, to stand in front of it. */
    String says() {
        return says;
    }

    /** The statement that moves the jobs that it has deleted as {@code taken}. */
    String move(String taken, String answer) {
        return move.apply(Move.of("taken", taken)).answering(noted + answer);
    }
}
