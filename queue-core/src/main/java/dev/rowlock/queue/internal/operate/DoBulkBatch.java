package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.operate.AdvanceBulkAction.Step;
import dev.rowlock.queue.internal.search.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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

    private final Database database;
    private final EnsureDonePartitions partitions;
    private final TakeBulkAction take;
    private final AdvanceBulkAction advance;
    private final DoBulkBatchApart apart;
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
        this.take = new TakeBulkAction(database);
        this.advance = new AdvanceBulkAction(database);
        this.apart = new DoBulkBatchApart(database, largest, limit);
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
            return apart.run(e);
        }
    }

    private Optional<Done> doNext(Connection connection) throws SQLException {
        TakenAction action = take.due(connection);
        if (action == null) {
            return Optional.empty();
        }
        BatchTime.limit(connection, limit);
        boolean named = action.comesBack() || action.stretch() == 1;
        Step step = named ? moveNamed(connection, action) : move(connection, action);
        advance.run(connection, action, step, limit);
        return Optional.of(Done.of(action, step));
    }

    /** The ids of actions that are left to nodes of a newer release. */
    public long[] unreadable() {
        return take.unreadable();
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
}
