package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.operate.BulkActionRow.Step;
import dev.rowlock.queue.internal.operate.BulkActionRow.TakenAction;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.springframework.dao.DataAccessException;

/**
 * Does a batch of the bulk action that has waited longest for one: the jobs, the progress, and the audit line in one
 * transaction. An action that another node is working on is left to it.
 */
public final class DoBulkBatch {

    /** Less than we wait for an answer. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    // A node that is working on it learns by itself how many jobs it can look at.
    private static final String SHORTEN = """
            UPDATE rowlock.bulk_action SET stretch = greatest(stretch / 4, 1), next_at = statement_timestamp()
             WHERE id = (SELECT id FROM rowlock.bulk_action WHERE id = :id AND state = 'running' AND stretch > 1
                            FOR UPDATE SKIP LOCKED)
            RETURNING stretch
            """;

    private static final String POSTPONE =
            "UPDATE rowlock.bulk_action SET next_at = statement_timestamp() + interval '10 s' WHERE id = :id";

    // A shorter limit of the role's own holds.
    private static final String WITHIN = """
            SELECT set_config('statement_timeout',
                              CASE WHEN own > interval '0' AND own < ? * interval '1 ms' THEN current_setting('statement_timeout')
                                   ELSE ? END, true)
              FROM CAST(current_setting('statement_timeout') AS interval) AS own
            """;

    private static final String LOCKS_WITHIN = "SELECT set_config('lock_timeout', ?, true)";

    private final Database database;
    private final EnsureDonePartitions partitions;
    private final BulkActionRow actions;
    private final MoveBulkJobs move;
    private final DoNamedBulkJobs named;
    private final int largest;
    private final Duration limit;

    public DoBulkBatch(Database database) {
        this(database, 1_000);
    }

    /** @param largest how many jobs a batch has at most */
    public DoBulkBatch(Database database, int largest) {
        this(database, largest, LIMIT);
    }

    /**
     * The same.
     *
     * @param limit how long a statement may take; the server stops it
     */
    public DoBulkBatch(Database database, int largest, Duration limit) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.actions = new BulkActionRow(database);
        this.move = new MoveBulkJobs(database);
        this.named = new DoNamedBulkJobs(database, largest, limit);
        this.largest = largest;
        this.limit = limit;
    }

    /**
     * What was done.
     *
     * @param redriven whether jobs wait now that were dead
     * @param ended whether jobs are cancelled or discarded now
     * @param stuck whether somebody else has locked all jobs that there were
     */
    public record Done(long bulkActionId, int jobs, boolean redriven, boolean ended, boolean stuck) {

        static Done of(TakenAction action, Step step) {
            return new Done(
                    action.id(),
                    step.jobs(),
                    action.kind() == BulkKind.REDRIVE && step.jobs() > 0,
                    action.kind() != BulkKind.REDRIVE && step.jobs() > 0,
                    step.jobs() == 0
                            && step.refused().isEmpty()
                            && step.afterId() <= action.afterId()
                            && step.lockedIds().size() >= action.lockedIds().size());
        }
    }

    /** The jobs of this action cannot be moved now. */
    public static final class BatchFailedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final long bulkActionId;
        private final boolean divisible;

        BatchFailedException(long bulkActionId, DataAccessException cause) {
            this(bulkActionId, cause, false);
        }

        /** @param divisible whether it may work in parts */
        BatchFailedException(long bulkActionId, DataAccessException cause, boolean divisible) {
            super("a batch of bulk action %d failed".formatted(bulkActionId), cause);
            this.bulkActionId = bulkActionId;
            this.divisible = divisible;
        }

        /** Whether the batch took longer than it may. */
        public boolean outOfTime() {
            return BatchLimit.outOfTime(refusal());
        }

        /** How the server refused it, without what stands in the jobs. */
        DataAccessException refusal() {
            return (DataAccessException) Objects.requireNonNull(getCause());
        }

        public long bulkActionId() {
            return bulkActionId;
        }
    }

    /**
     * In a transaction of its own. If the server refuses the batch, it is done in parts by another one, and the jobs that are refused alone
     * are passed over. Empty: none is due, or others are working on those that are.
     *
     * @throws BatchFailedException if no job is to blame, but the server or the connection
     */
    public Optional<Done> run() {
        try {
            return partitions.around(() -> database.atomically(this::doNext));
        } catch (BatchFailedException e) {
            if (!e.divisible) {
                throw e;
            }
            return inParts(e);
        }
    }

    private Optional<Done> doNext(Connection connection) throws SQLException {
        TakenAction action = actions.due(connection);
        if (action == null) {
            return Optional.empty();
        }
        limitTime(connection, limit);
        boolean named = action.comesBack() || action.stretch() == 1;
        Step step = named ? moveNamed(connection, action) : move(connection, action);
        actions.advance(connection, action, step, limit);
        return Optional.of(Done.of(action, step));
    }

    /** The ids of actions that are left to nodes of a newer release. */
    public long[] unreadable() {
        return actions.unreadable();
    }

    /**
     * The next batches of this action look at fewer jobs: so many take too long. Returns at how many; empty: at one already, or a
     * node is working on it.
     */
    public OptionalInt shorten(long bulkActionId) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(SHORTEN))
                .set("id", bulkActionId)
                .first(row -> OptionalInt.of(row.getInt(1)))
                .orElse(OptionalInt.empty()));
    }

    /** The next batch of this action is not tried before ten seconds have passed. */
    public void postpone(long bulkActionId) {
        database.alone(connection -> ColdStatement.on(connection, database.sql(POSTPONE))
                .set("id", bulkActionId)
                .update());
    }

    private Step move(Connection connection, TakenAction action) throws SQLException {
        List<RoomCondition> rooms = action.kind().conditions(action.filter());
        String sql = database.sql(BulkBatchSql.move(action.kind(), rooms));
        try {
            Step step = BulkBatchSql.behind(connection, sql, action, action.most(largest), rooms)
                    .only(row -> new Step(
                            row.getInt(1),
                            row.getLong(2),
                            action.lockedIdsAnd(BulkBatchSql.ids(row, 3)),
                            List.of(),
                            null));
            BulkBatchSql.checkNow(connection);
            return step;
        } catch (SQLException e) {
            if (EnsureDonePartitions.missing(e)) {
                throw e;
            }
            throw new BatchFailedException(action.id(), database.translated(e), true);
        }
    }

    private Step moveNamed(Connection connection, TakenAction action) throws SQLException {
        try {
            return action.comesBack() ? named.comeBack(connection, action) : named.next(connection, action);
        } catch (SQLException e) {
            throw new BatchFailedException(action.id(), database.translated(e));
        } catch (DataAccessException e) {
            throw new BatchFailedException(action.id(), e);
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof SQLException cause && EnsureDonePartitions.missing(cause)) {
                throw cause;
            }
            throw e;
        }
    }

    // A batch that the server has refused

    /**
     * Does a batch that the server has refused in ever smaller parts, until the jobs that it refuses stand alone. They stay as they are, and
     * the action passes over them. One transaction: it locks the action and its jobs, and a savepoint stands around each part. Empty: somebody
     * else is working on the action, or it has ended.
     *
     * @param together how the batch failed as a whole
     * @throws BatchFailedException if no job is to blame, but the server or the connection
     */
    private Optional<Done> inParts(BatchFailedException together) {
        long id = together.bulkActionId();
        try {
            BatchSplitter.requireAnswer(together.refusal());
            return database.atomically(connection -> {
                TakenAction action = actions.byId(connection, id);
                if (action == null) {
                    return Optional.empty();
                }
                limitTime(connection, limit);
                Step step = moveApart(connection, action, together.refusal());
                actions.advance(connection, action, step, limit);
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

    private record Locked(List<Long> jobs, long afterId, List<Long> passed) {}

    // Time

    /** No statement may take longer, until the transaction ends: the server stops it, so that none works on for nobody. */
    private static void limitTime(Connection connection, Duration most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WITHIN)) {
            statement.setLong(1, most.toMillis());
            statement.setString(2, Long.toString(most.toMillis()));
            statement.execute();
        }
    }

    /** Until the transaction ends: who waits for a lock fails earlier than who is slow. */
    static void limitLocks(Connection connection, Duration most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCKS_WITHIN)) {
            statement.setString(1, Long.toString(most.toMillis() / 4));
            statement.execute();
        }
    }
}
