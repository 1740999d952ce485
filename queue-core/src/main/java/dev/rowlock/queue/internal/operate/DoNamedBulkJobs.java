package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.operate.BulkActionRow.Step;
import dev.rowlock.queue.internal.operate.BulkActionRow.TakenAction;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Does a batch of jobs whose ids are known: those that were locked when the action came by, or the next one alone where several take
 * too long. A job that takes too long by itself is passed over. In a transaction that has locked the action.
 */
final class DoNamedBulkJobs {

    private final Database database;
    private final MoveBulkJobs move;
    private final int largest;
    private final Duration limit;

    DoNamedBulkJobs(Database database, int largest, Duration limit) {
        this.database = database;
        this.move = new MoveBulkJobs(database);
        this.largest = largest;
        this.limit = limit;
    }

    /** @param here those of the jobs that are where the action looks, whether locked or not */
    private record Locked(List<Long> jobs, List<Long> here) {}

    private record Moved(int jobs, Set<Long> untried, Map<Long, RuntimeException> refused) {}

    /** Those that were locked, as far as they are free now. */
    Step comeBack(Connection connection, TakenAction action) throws SQLException {
        List<RoomCondition> rooms = action.kind().conditions(action.filter());
        Locked locked = lock(connection, rooms, action.lockedIds());
        List<Long> some = locked.jobs.stream()
                .limit(Math.min(action.most(largest), action.stretch()))
                .toList();
        Moved moved = move(connection, action, rooms, some);
        Set<Long> left = new TreeSet<>(locked.here);
        some.forEach(left::remove);
        left.addAll(moved.untried);
        return step(action, moved, action.afterId(), List.copyOf(left));
    }

    /** The one behind the place of the action. */
    Step next(Connection connection, TakenAction action) throws SQLException {
        DoBulkBatch.limitLocks(connection, limit);
        List<RoomCondition> rooms = action.kind().conditions(action.filter());
        List<Long> next = behind(connection, action, rooms);
        if (next.isEmpty()) {
            return new Step(0, action.lastId(), action.lockedIds(), List.of(), null);
        }
        Locked locked = lock(connection, rooms, next);
        Moved moved = move(connection, action, rooms, locked.jobs);
        List<Long> passed = new ArrayList<>(locked.here);
        passed.removeAll(locked.jobs);
        return step(action, moved, next.get(0), action.lockedIdsAnd(passed));
    }

    private static Step step(TakenAction action, Moved moved, long afterId, List<Long> lockedIds) {
        List<Long> refused = List.copyOf(moved.refused.keySet());
        return new Step(moved.jobs, afterId, lockedIds, refused, MoveBulkJobs.tell(action, moved.refused));
    }

    private Moved move(Connection connection, TakenAction action, List<RoomCondition> rooms, List<Long> jobs)
            throws SQLException {
        if (jobs.size() != 1) {
            return moveMatching(connection, action, rooms, jobs);
        }
        // A job that waits for a lock of its table is not slow.
        DoBulkBatch.limitLocks(connection, limit);
        Savepoint before = connection.setSavepoint();
        try {
            Moved moved = moveMatching(connection, action, rooms, jobs);
            connection.releaseSavepoint(before);
            return moved;
        } catch (SQLException e) {
            return passOver(connection, before, jobs.get(0), database.translated(e));
        } catch (RuntimeException e) {
            return passOver(connection, before, jobs.get(0), e);
        }
    }

    private static Moved passOver(Connection connection, Savepoint before, long job, RuntimeException e)
            throws SQLException {
        if (!BatchLimit.outOfTime(e) || connection.isClosed()) {
            throw e;
        }
        connection.rollback(before);
        return new Moved(0, Set.of(), Map.of(job, e));
    }

    private Moved moveMatching(Connection connection, TakenAction action, List<RoomCondition> rooms, List<Long> jobs)
            throws SQLException {
        List<Long> matching = jobs.isEmpty() ? List.of() : matching(connection, action, rooms, jobs);
        Set<Long> left = new TreeSet<>(matching);
        Map<Long, RuntimeException> refused = new HashMap<>();
        Consumer<List<Long>> work = some -> {
            move.run(connection, action.kind(), rooms, some);
            some.forEach(left::remove);
        };
        if (!matching.isEmpty()) {
            try {
                work.accept(matching);
            } catch (RuntimeException e) {
                refused.putAll(BatchSplitter.refused(matching, work, e));
            }
        }
        int moved = matching.size() - left.size();
        left.removeAll(refused.keySet());
        return new Moved(moved, left, refused);
    }

    private Locked lock(Connection connection, List<RoomCondition> rooms, List<Long> jobs) throws SQLException {
        return BulkBatchSql.ofThese(connection, database.sql(BulkBatchSql.lockThese(rooms)), jobs)
                .only(row -> new Locked(BulkBatchSql.ids(row, 1), BulkBatchSql.ids(row, 2)));
    }

    private List<Long> matching(Connection connection, TakenAction action, List<RoomCondition> rooms, List<Long> jobs)
            throws SQLException {
        ColdStatement statement = BulkBatchSql.ofThese(connection, database.sql(BulkBatchSql.matching(rooms)), jobs)
                .set("created_at", action.createdAt());
        rooms.forEach(room -> statement.set(room.values()));
        return statement.only(row -> BulkBatchSql.ids(row, 1));
    }

    private List<Long> behind(Connection connection, TakenAction action, List<RoomCondition> rooms)
            throws SQLException {
        return BulkBatchSql.behind(connection, database.sql(BulkBatchSql.next(rooms)), action, 1, List.of())
                .only(row -> {
                    long id = row.getLong(1);
                    return row.wasNull() ? List.of() : List.of(id);
                });
    }
}
