package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Evidence;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check.Case;
import dev.rowlock.queue.internal.doctor.Check.Diagnosis;
import dev.rowlock.queue.internal.store.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Runs all checks, each in a transaction of its own. */
final class Examination implements Doctor {

    private static final Duration STATEMENT = Duration.ofSeconds(2);
    private static final Duration LOCK = Duration.ofMillis(500);
    private static final String LIMITS = """
            SELECT set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
                   set_config('transaction_read_only', 'on', true)
            """;

    /** One row if this role does not see what sessions of other roles do. */
    private static final Look BLIND =
            Look.sql("SELECT current_user AS role WHERE NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')");

    private static final String FORBIDDEN = "42501";

    private final Database database;
    private final List<Check> checks;

    /** Examines with these checks, in their order. */
    Examination(Database database, List<Check> checks) {
        this.database = database;
        this.checks = checks;
    }

    @Override
    public List<Finding> examine() {
        return checks.stream().map(this::examine).toList();
    }

    private Finding examine(Check check) {
        try {
            return database.atomically(connection -> {
                limit(connection);
                List<Case> cases = check.look().run(connection, database.schema());
                if (!cases.isEmpty()) {
                    Diagnosis diagnosis = check.judge().of(cases);
                    return found(check, diagnosis.status(), diagnosis.cause(), cases, diagnosis.remedy());
                }
                List<Case> blind = check.needsStatistics() ? BLIND.run(connection, database.schema()) : List.of();
                return blind.isEmpty() ? found(check, Status.OK, check.healthy(), cases, null) : blind(check, blind);
            });
        } catch (RuntimeException e) {
            return failed(check, e);
        }
    }

    /** Makes the transaction of a check read-only, and limits its time on the server. */
    private static void limit(Connection connection) throws SQLException {
        try (PreparedStatement limits = connection.prepareStatement(LIMITS)) {
            limits.setString(1, Long.toString(STATEMENT.toMillis()));
            limits.setString(2, Long.toString(LOCK.toMillis()));
            limits.execute();
        }
    }

    private Finding blind(Check check, List<Case> roles) {
        String role = roles.get(0).get("role");
        return found(
                check,
                Status.SKIPPED,
                "Role %s does not see what sessions of other roles do.".formatted(role),
                List.of(),
                new Remedy(
                        "Grant it the right to read statistics.",
                        "GRANT pg_read_all_stats TO \"%s\"".formatted(role.replace("\"", "\"\"")),
                        false));
    }

    private Finding failed(Check check, RuntimeException e) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
        String what = String.valueOf(cause.getMessage());
        if (cause instanceof SQLException sql && FORBIDDEN.equals(sql.getSQLState())) {
            return found(
                    check,
                    Status.SKIPPED,
                    "The check may not read what it must read: %s.".formatted(what),
                    List.of(),
                    new Remedy(
                            "Let the owner of the tables grant the runtime role its rights: SchemaScript prints them (--grant).",
                            null,
                            false));
        }
        return found(check, Status.CRASHED, "The check itself has failed: %s.".formatted(what), List.of(), null);
    }

    private Finding found(Check check, Status status, String cause, List<Case> cases, @Nullable Remedy remedy) {
        Look look = check.look();
        return new Finding(
                check.code(),
                status,
                cause,
                new Evidence(
                        database.sql(look.sql()),
                        cases.stream().map(Case::toString).toList()),
                remedy);
    }
}
