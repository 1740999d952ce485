package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.admin.JobStatements;
import dev.rowlock.queue.internal.store.search.FilterConditions;
import dev.rowlock.queue.internal.store.search.Room;
import dev.rowlock.queue.internal.store.search.RoomCondition;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What each kind of bulk action does, and where. */
enum BulkKind {
    REDRIVE(EnumSet.of(Room.DEAD), "redriven AS (TABLE taken), " + JobStatements.REDRIVEN_INTO_WAITING),
    DISCARD(EnumSet.of(Room.DEAD), "discarded AS (TABLE taken), " + JobStatements.DISCARDED_NOTED),
    CANCEL(EnumSet.of(Room.WAITING, Room.READY), JobStatements.TAKEN_INTO_DONE);

    private final Set<Room> rooms;
    private final String moves;

    BulkKind(Set<Room> rooms, String moves) {
        this.rooms = rooms;
        this.moves = moves;
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

    /** The part of a statement that moves the jobs that it has deleted as {@code taken}. */
    String moves() {
        return moves;
    }
}
