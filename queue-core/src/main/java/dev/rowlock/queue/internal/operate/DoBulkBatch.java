package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.BatchLimit;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.operate.BulkActionRow.Step;
import dev.rowlock.queue.internal.operate.BulkActionRow.TakenAction;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Does a batch of the bulk action that has waited longest for one: the jobs, the progress, and the audit line in one
 * transaction. An action that another node is working on is left to it.
 *
 * <p>There is one way to do a batch: which jobs are next, their move, the new place. What is next lies behind the place; at the end, or with too
 * many of them, it is the jobs that were locked when the action came by. Where the server refuses the jobs together, they are moved in ever smaller
 * parts, each behind a savepoint, until those that it refuses stand alone: they stay as they are, and the action passes over them.
 */
public final class DoBulkBatch {

    private static final Logger log = LoggerFactory.getLogger(DoBulkBatch.class);

    /** Less than we wait for an answer. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** So many refused jobs are named in the log. */
    private static final int NAMED = 20;

    private static final int LONGEST_REFUSAL = 500;

    /** Data exceptions: the server's message quotes the value. */
    private static final String QUOTES = "22";

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
    private final BulkActionRow actions;
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

        BatchFailedException(long bulkActionId, DataAccessException cause) {
            super("a batch of bulk action %d failed".formatted(bulkActionId), cause);
            this.bulkActionId = bulkActionId;
        }

        /** Whether the batch took longer than it may. */
        public boolean outOfTime() {
            return BatchLimit.outOfTime((DataAccessException) Objects.requireNonNull(getCause()));
        }

        public long bulkActionId() {
            return bulkActionId;
        }
    }

    /**
     * In a transaction of its own. Empty: none is due, or others are working on those that are.
     *
     * @throws BatchFailedException if no job is to blame, but the server or the connection
     */
    public Optional<Done> run() {
        return partitions.around(() -> database.atomically(limit, this::batch));
    }

    private Optional<Done> batch(Connection connection) throws SQLException {
        TakenAction action = actions.due(connection);
        if (action == null) {
            return Optional.empty();
        }
        Step step;
        try {
            List<RoomCondition> rooms = action.kind().conditions(action.filter());
            step = action.comesBack() ? comeBack(connection, action, rooms) : goOn(connection, action, rooms);
        } catch (SQLException e) {
            throw new BatchFailedException(action.id(), database.translated(e));
        } catch (DataAccessException e) {
            throw new BatchFailedException(action.id(), e);
        } catch (NoPartitionException e) {
            throw e.refusal;
        }
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

    /** The jobs behind the place. */
    private Step goOn(Connection connection, TakenAction action, List<RoomCondition> rooms) throws SQLException {
        int most = action.most(largest);
        Next next = next(connection, action, rooms, most);
        Moved moved = move(connection, action, rooms, next.jobs);
        long place = next.jobs.size() == most ? next.jobs.get(most - 1) : next.reach;
        if (!moved.untried.isEmpty()) {
            place = Math.min(place, moved.untried.first() - 1);
        }
        // It goes on behind jobs that somebody else has locked, as long as it can remember which they are.
        Optional<Long> tooMany =
                moved.locked.stream().skip(action.roomForLocked()).findFirst();
        long reached = Math.min(place, tooMany.orElse(Long.MAX_VALUE) - 1);
        Stream<Long> locked = moved.locked.headSet(reached, true).stream();
        return moved.step(action, reached, Stream.concat(action.lockedIds().stream(), locked));
    }

    /** The jobs that were locked when the action came by. Those that still are wait behind the others. */
    private Step comeBack(Connection connection, TakenAction action, List<RoomCondition> rooms) throws SQLException {
        List<Long> all = action.lockedIds();
        List<Long> some = all.subList(0, Math.min(all.size(), Math.min(action.most(largest), action.stretch())));
        Moved moved = move(connection, action, rooms, some);
        Stream<Long> others = Stream.concat(all.stream().skip(some.size()), moved.untried.stream());
        return moved.step(action, action.afterId(), Stream.concat(others, moved.locked.stream()));
    }

    /**
     * What is next behind the place. Where several jobs take too long, it is one, whether it matches or not: then its move looks whether it does, and
     * passes over one whose payload alone takes too long.
     */
    private Next next(Connection connection, TakenAction action, List<RoomCondition> rooms, int most)
            throws SQLException {
        boolean filtered = action.stretch() > 1;
        ColdStatement statement = ColdStatement.on(connection, database.sql(BulkKind.next(rooms, filtered)))
                .set("action_id", action.id())
                .set("after_id", action.afterId())
                .set("last_id", action.lastId())
                .set("created_at", action.createdAt())
                .set("most", most)
                .set("stretch", action.stretch());
        if (filtered) {
            rooms.forEach(room -> statement.set(room.values()));
        }
        return statement.only(row -> new Next(Columns.longList(row, 1), row.getLong(2)));
    }

    private record Next(List<Long> jobs, long reach) {}

    /** What became of some jobs; those that were none of the action's any more, or are gone, are in none of these. */
    private static final class Moved {

        private int jobs;
        private final TreeSet<Long> locked = new TreeSet<>();
        private final TreeSet<Long> untried;
        private Map<Long, RuntimeException> refused = Map.of();

        Moved(List<Long> jobs) {
            this.untried = new TreeSet<>(jobs);
        }

        Step step(TakenAction action, long afterId, Stream<Long> lockedIds) {
            return new Step(
                    jobs, afterId, lockedIds.toList(), List.copyOf(refused.keySet()), tell(action.id(), refused));
        }
    }

    private Moved move(Connection connection, TakenAction action, List<RoomCondition> rooms, List<Long> jobs)
            throws SQLException {
        Moved moved = new Moved(jobs);
        if (jobs.isEmpty()) {
            return moved;
        }
        if (jobs.size() == 1) {
            limitLocks(connection); // one that waits for a lock of its table is not slow
        }
        String sql = database.sql(action.kind().move(rooms));
        Consumer<List<Long>> work = some -> {
            ColdStatement statement = ColdStatement.on(connection, sql)
                    .set("created_at", action.createdAt())
                    .set("ids", some.toArray(Long[]::new));
            rooms.forEach(room -> statement.set(room.values()));
            movePart(connection, statement, moved);
            some.forEach(moved.untried::remove);
        };
        try {
            work.accept(jobs);
        } catch (DataAccessException e) {
            // Those that are left were not tried, or failed for what may be over the next time.
            moved.refused = jobs.size() == 1 && BatchLimit.outOfTime(e) && !connection.isClosed()
                    ? Map.of(jobs.get(0), e)
                    : BatchSplitter.refused(jobs, work, e);
            moved.untried.removeAll(moved.refused.keySet());
        }
        return moved;
    }

    /** Behind a savepoint: if it fails, the transaction stands as before. */
    private void movePart(Connection connection, ColdStatement move, Moved moved) {
        try {
            Savepoint before = connection.setSavepoint();
            try {
                Answer answer = move.only(row -> new Answer(row.getInt(1), Columns.longList(row, 2)));
                checkNow(connection);
                connection.releaseSavepoint(before);
                moved.jobs += answer.jobs;
                moved.locked.addAll(answer.locked);
            } catch (SQLException e) {
                if (!connection.isClosed()) {
                    connection.rollback(before);
                }
                if (EnsureDonePartitions.missing(e)) {
                    throw new NoPartitionException(e); // no job is to blame
                }
                throw e;
            }
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    private record Answer(int jobs, List<Long> locked) {}

    /** The table done has no partition for today. */
    private static final class NoPartitionException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final SQLException refusal;

        NoPartitionException(SQLException refusal) {
            super(refusal);
            this.refusal = refusal;
        }
    }

    /** Deferred triggers and constraints say now whether they refuse a job, where somebody knows what to do about it. */
    private static void checkNow(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        }
    }

    /** Until the transaction ends: who waits for a lock fails earlier than who is slow. */
    private void limitLocks(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + limit.toMillis() / 4);
        }
    }

    /** Names the jobs in the log. Returns why the last of them cannot be moved; null: there are none. */
    private static @Nullable String tell(long bulkActionId, Map<Long, RuntimeException> refused) {
        if (refused.isEmpty()) {
            return null;
        }
        RuntimeException last = List.copyOf(refused.values()).get(refused.size() - 1);
        log.warn(
                "bulk action {} passes over {} jobs: the server refuses each of them by itself, or takes too long. They stay as they are. Their ids: {}{}",
                bulkActionId,
                refused.size(),
                refused.keySet().stream().limit(NAMED).toList(),
                refused.size() > NAMED ? " and more" : "",
                last);
        return refusal(last);
    }

    /**
     * Why the server refuses a job, as the tables keep it: SQLSTATE and message, such as {@code P0001: not on Sundays}, and
     * nothing of what stands in the job.
     */
    private static String refusal(RuntimeException thrown) {
        Throwable cause = thrown instanceof DataAccessException access ? access.getMostSpecificCause() : thrown;
        if (!(cause instanceof SQLException sql) || sql.getSQLState() == null) {
            return cause.getClass().getName();
        }
        ServerErrorMessage server = cause instanceof PSQLException said ? said.getServerErrorMessage() : null;
        String message = server == null ? null : server.getMessage();
        if (message == null || sql.getSQLState().startsWith(QUOTES)) {
            return sql.getSQLState();
        }
        String text = sql.getSQLState() + ": " + message;
        return text.length() > LONGEST_REFUSAL ? text.substring(0, LONGEST_REFUSAL) : text;
    }
}
