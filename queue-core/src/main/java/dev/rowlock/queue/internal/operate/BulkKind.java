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
    REDRIVE(EnumSet.of(SearchedRoom.DEAD), JobStatements::redriven, ""),
    DISCARD(
            EnumSet.of(SearchedRoom.DEAD),
            UnaryOperator.identity(),
            ", discarded AS (TABLE taken), " + JobStatements.DISCARDED_NOTED),
    CANCEL(EnumSet.of(SearchedRoom.WAITING, SearchedRoom.READY), JobStatements::cancelled, "");

    private final Set<SearchedRoom> rooms;
    private final UnaryOperator<Move> move;
    private final String noted;

    BulkKind(Set<SearchedRoom> rooms, UnaryOperator<Move> move, String noted) {
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

    /** The statement that moves the jobs that it has deleted as {@code taken}. */
    String move(String taken, String answer) {
        return move.apply(Move.of("taken", taken)).answering(noted + answer);
    }
}
