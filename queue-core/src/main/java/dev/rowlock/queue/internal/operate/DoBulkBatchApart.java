package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.operate.AdvanceBulkAction.Step;
import dev.rowlock.queue.internal.operate.DoBulkBatch.BatchFailedException;
import dev.rowlock.queue.internal.operate.DoBulkBatch.Done;
import dev.rowlock.queue.internal.search.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.springframework.dao.DataAccessException;

/**
 * Does a batch that the server has refused in ever smaller parts, until the jobs that it refuses stand alone. They stay as they are, and
 * the action passes over them. One transaction: it locks the action and its jobs, and a savepoint stands around each part.
 */
final class DoBulkBatchApart {

    private final Database database;
    private final TakeBulkAction take;
    private final AdvanceBulkAction advance;
    private final MoveBulkJobs move;
    private final int largest;
    private final Duration limit;

    DoBulkBatchApart(Database database, int largest, Duration limit) {
        this.database = database;
        this.take = new TakeBulkAction(database);
        this.advance = new AdvanceBulkAction(database);
        this.move = new MoveBulkJobs(database);
        this.largest = largest;
        this.limit = limit;
    }

    private record Locked(List<Long> jobs, long afterId, List<Long> passed) {}

    /**
     * Empty: somebody else is working on the action, or it has ended.
     *
     * @param together how the batch failed as a whole
     * @throws BatchFailedException if no job is to blame, but the server or the connection
     */
    Optional<Done> run(BatchFailedException together) {
        long id = together.bulkActionId();
        try {
            BatchSplitter.requireAnswer(together.refusal());
            return database.atomically(connection -> {
                TakenAction action = take.byId(connection, id);
                if (action == null) {
                    return Optional.empty();
                }
                BatchTime.limit(connection, limit);
                Step step = moveApart(connection, action, together.refusal());
                advance.run(connection, action, step, limit);
                return Optional.of(Done.of(action, step));
            });
        } catch (DataAccessException e) {
            throw new BatchFailedException(id, e);
        }
    }

    private Step moveApart(Connection connection, TakenAction action, RuntimeException together) throws SQLException {
        List<RoomCondition> rooms = action.kind().conditions(action.filter());
        Locked locked = lock(connection, action, rooms);
        Set<Long> left = new TreeSet<>(locked.jobs);
        Consumer<List<Long>> work = jobs -> {
            move.run(connection, action.kind(), rooms, jobs);
            left.removeAll(new HashSet<>(jobs));
        };
        Map<Long, RuntimeException> refused = locked.jobs.isEmpty()
                ? Map.of() // whoever was refused is locked by somebody else now
                : BatchSplitter.refused(locked.jobs, work, together);
        int moved = locked.jobs.size() - left.size();
        left.removeAll(refused.keySet());
        // Those that are left were not tried, or failed for what may be over the next time.
        long before = left.stream().mapToLong(job -> job - 1).min().orElse(Long.MAX_VALUE);
        long afterId = Math.min(before, locked.afterId);
        List<Long> passed = locked.passed.stream().filter(job -> job <= afterId).toList();
        return new Step(
                moved,
                afterId,
                action.lockedIdsAnd(passed),
                List.copyOf(refused.keySet()),
                MoveBulkJobs.tell(action, refused));
    }

    private Locked lock(Connection connection, TakenAction action, List<RoomCondition> rooms) throws SQLException {
        String sql = database.sql(BulkBatchSql.lock(rooms));
        return BulkBatchSql.behind(connection, sql, action, action.most(largest), rooms)
                .only(row -> new Locked(BulkBatchSql.ids(row, 1), row.getLong(2), BulkBatchSql.ids(row, 3)));
    }
}
