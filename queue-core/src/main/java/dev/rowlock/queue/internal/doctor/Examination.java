package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Evidence;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.doctor.Verdict;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.doctor.Check.Diagnosis;
import dev.rowlock.queue.internal.doctor.Check.Found;
import dev.rowlock.queue.internal.doctor.Check.Question;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.spi.NodeStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Runs checks, each in a transaction of its own. One examination runs at a time: many callers cost the database no more than one. */
public final class Examination implements Doctor {

    /** Those that need the database only, in the order of their findings. */
    static final List<Check> CHECKS = Stream.of(DatabaseChecks.ALL, TableChecks.ALL, QueueChecks.ALL)
            .flatMap(List::stream)
            .toList();

    private static final Duration VERDICT_KEPT = Duration.ofSeconds(10);

    /** Limits the check that comes next in its transaction. */
    private static final String LIMITS = """
            SELECT set_config('statement_timeout', '2s', true), set_config('lock_timeout', '500ms', true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
                   set_config('transaction_read_only', 'on', true)""";

    /** Tells whether there are tables to examine. */
    private static final String TABLES = "SELECT 1 WHERE to_regclass('rowlock.ready') IS NOT NULL";

    /** One row if this role does not see what sessions of other roles do. */
    private static final String BLIND =
            "SELECT current_user AS role WHERE NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')";

    private static final String FORBIDDEN = "42501";
    private static final String GRANTS =
            "Let the owner of the tables grant the runtime role its rights: SchemaScript prints them (--grant).";

    private static final Logger log = LoggerFactory.getLogger(Examination.class);

    private final Database database;
    private final List<Check> checks;
    private final @Nullable Check pool;
    private final @Nullable DataSource beside;
    private final LateQueues lateQueues;
    private @Nullable Answer answer; // guarded by this
    private final AtomicReference<@Nullable CompletableFuture<List<Finding>>> underWay = new AtomicReference<>();

    /**
     * @param pool looks at the pool before all others; null: nothing does
     * @param beside opens connections outside the pool; null: nothing can
     */
    Examination(
            Database database,
            List<Check> checks,
            LateQueues lateQueues,
            @Nullable Check pool,
            @Nullable DataSource beside) {
        this.database = database;
        this.checks = checks;
        this.lateQueues = lateQueues;
        this.pool = pool;
        this.beside = beside;
    }

    /**
     * For a process that may run jobs.
     *
     * @param node what the node in this process says of itself
     * @param unpooled opens connections beside the pool; null: nothing can
     * @param listens whether one of these listens
     */
    public static Doctor ofNode(
            Database database,
            Supplier<NodeStatus> node,
            LateAfter lateAfter,
            @Nullable DataSource unpooled,
            boolean listens) {
        LateQueues lateQueues = new LateQueues(lateAfter);
        List<Check> checks = checks(lateQueues);
        checks.add(ProcessChecks.failingChore(node));
        if (listens && unpooled != null) {
            checks.add(ProcessChecks.pooler(unpooled));
        }
        return new Examination(database, checks, lateQueues, ProcessChecks.CONNECTION_POOL, unpooled);
    }

    /** For a process that only looks; empty: there are no tables to examine. */
    public static Optional<Doctor> ofTables(Database database) {
        LateQueues lateQueues = new LateQueues(LateAfter.DEFAULT);
        return database.alone(connection -> ColdStatement.on(connection, database.sql(TABLES))
                .first(row -> new Examination(database, checks(lateQueues), lateQueues, null, null)));
    }

    private static List<Check> checks(LateQueues lateQueues) {
        List<Check> checks = new ArrayList<>();
        checks.add(lateQueues.check());
        checks.addAll(CHECKS);
        return checks;
    }

    private record Answer(Verdict verdict, long nanos) {}

    /** Those who ask meanwhile wait for the answer that is on its way. */
    @Override
    public synchronized Verdict verdict() {
        Answer last = answer;
        if (last == null || System.nanoTime() - last.nanos() > VERDICT_KEPT.toNanos()) {
            last = new Answer(ask(), System.nanoTime());
            answer = last;
        }
        return last.verdict();
    }

    private Verdict ask() {
        try {
            return database.atomically(connection -> {
                ColdStatement.on(connection, LIMITS).first(row -> true);
                return lateQueues.verdict(connection, database::sql);
            });
        } catch (RuntimeException e) {
            return LateQueues.unseen(e);
        }
    }

    @Override
    public List<Finding> examine() {
        CompletableFuture<List<Finding>> own = new CompletableFuture<>();
        CompletableFuture<List<Finding>> other = underWay.compareAndExchange(null, own);
        if (other != null) {
            return other.join();
        }
        try {
            own.complete(pool == null ? examine(database) : examineAfter(pool));
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            underWay.set(null);
        }
        return own.join();
    }

    /**
     * Asks the pool for a connection before all checks. Without one, each of them would wait for the pool as long again: they share one that is opened
     * beside the pool, for it is then that the cause must be found. Where none can be opened, they do not begin.
     */
    private List<Finding> examineAfter(Check pool) {
        Map<String, Object> values = new HashMap<>(pool.question().values());
        long begun = System.nanoTime();
        try {
            database.alone(connection ->
                    ColdStatement.on(connection, pool.question().sql()).first(row -> true));
        } catch (RuntimeException e) {
            values.put(
                    "failure",
                    String.valueOf(NestedExceptionUtils.getMostSpecificCause(e).getMessage()));
        }
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        Found found = new Found(List.of(Map.of("milliseconds", Long.toString(millis))), values);
        boolean gaveNone = found.has("failure");

        List<Finding> findings = new ArrayList<>();
        findings.add(
                gaveNone || millis > found.number("slow_millis") ? judged(pool, found) : healthy(pool, found.rows()));
        findings.addAll(gaveNone ? examineBeside() : examine(database));
        return findings;
    }

    private List<Finding> examineBeside() {
        if (beside == null) {
            return List.of();
        }
        try (Connection own = beside.getConnection()) {
            return examine(new Database(new SingleConnectionDataSource(own, true), database.schema()));
        } catch (SQLException e) {
            log.debug("no connection beside the pool either", e);
            return List.of();
        }
    }

    private List<Finding> examine(Database through) {
        return checks.stream().map(check -> examine(check, through)).toList();
    }

    private Finding examine(Check check, Database through) {
        Question question = check.question();
        Map<String, Object> values = new HashMap<>(question.values());
        values.put("schema", through.schema().name());
        try {
            return through.atomically(connection -> {
                ColdStatement.on(connection, LIMITS).first(row -> true);
                ColdStatement statement = ColdStatement.on(connection, through.sql(question.sql()))
                        .set(values);
                List<Map<String, String>> rows = question.look().rows(statement);
                if (!rows.isEmpty()) {
                    return judged(check, new Found(rows, values));
                }
                Optional<String> blind = question.statistics()
                        ? ColdStatement.on(connection, BLIND).first(row -> row.getString("role"))
                        : Optional.empty();
                return blind.map(role -> blind(check, role)).orElseGet(() -> healthy(check, rows));
            });
        } catch (RuntimeException e) {
            return failed(check, e);
        }
    }

    private Finding judged(Check check, Found found) {
        Diagnosis diagnosis = check.meaning().apply(found).filled(found);
        return finding(check, diagnosis.status(), diagnosis.cause(), found.rows(), diagnosis.remedy());
    }

    private Finding healthy(Check check, List<Map<String, String>> rows) {
        return finding(check, Status.OK, check.question().healthy(), rows, null);
    }

    private Finding blind(Check check, String role) {
        String cause = "Role %s does not see what sessions of other roles do.".formatted(role);
        String grant = "GRANT pg_read_all_stats TO \"%s\"".formatted(role.replace("\"", "\"\""));
        Remedy remedy = new Remedy("Grant it the right to read statistics.", grant, false);
        return finding(check, Status.SKIPPED, cause, List.of(), remedy);
    }

    private Finding failed(Check check, RuntimeException e) {
        Throwable error = NestedExceptionUtils.getMostSpecificCause(e);
        if (error instanceof SQLException sql && FORBIDDEN.equals(sql.getSQLState())) {
            String cause = "The check may not read what it must read: %s.".formatted(error.getMessage());
            return finding(check, Status.SKIPPED, cause, List.of(), new Remedy(GRANTS, null, false));
        }
        String cause = "The check itself has failed: %s.".formatted(error.getMessage());
        return finding(check, Status.CRASHED, cause, List.of(), null);
    }

    private Finding finding(
            Check check, Status status, String cause, List<Map<String, String>> rows, @Nullable Remedy remedy) {
        String sql = database.sql(check.question().sql());
        String shown = NamedParameterUtils.substituteNamedParameters(NamedParameterUtils.parseSqlStatement(sql), null);
        Evidence evidence = new Evidence(shown, rows.stream().map(Map::toString).toList());
        return new Finding(check.question().code(), status, cause, evidence, remedy);
    }
}
