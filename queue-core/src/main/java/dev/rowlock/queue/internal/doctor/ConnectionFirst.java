package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Evidence;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Asks this process's pool for a connection before all checks. Without one, each of them would wait for the pool as long again: they share one that is
 * opened beside the pool, for it is then that the cause must be found. Where none can be opened, they do not begin.
 */
final class ConnectionFirst implements Doctor {

    private static final String CODE = "connection-pool";
    private static final Look LOOK = Look.sql("SELECT 1 AS answer");

    private static final Logger log = LoggerFactory.getLogger(ConnectionFirst.class);

    private final Database database;
    private final Duration slow;
    private final Function<Database, Doctor> checks;
    private final @Nullable DataSource beside;

    /**
     * @param slow a pool that takes longer is a finding
     * @param checks those that look at a database
     * @param beside opens connections outside the pool; null: nobody can
     */
    ConnectionFirst(Database database, Duration slow, Function<Database, Doctor> checks, @Nullable DataSource beside) {
        this.database = database;
        this.slow = slow;
        this.checks = checks;
        this.beside = beside;
    }

    @Override
    public List<Finding> examine() {
        long begun = System.nanoTime();
        try {
            database.alone(connection -> LOOK.run(connection, database.schema()));
        } catch (RuntimeException e) {
            Finding none = none(millisSince(begun), e);
            return Stream.concat(Stream.of(none), besidePool()).toList();
        }
        return Stream.concat(Stream.of(had(millisSince(begun))), checks.apply(database).examine().stream())
                .toList();
    }

    private Stream<Finding> besidePool() {
        if (beside == null) {
            return Stream.empty();
        }
        try (Connection own = beside.getConnection()) {
            Database through = new Database(new SingleConnectionDataSource(own, true), database.schema());
            return checks.apply(through).examine().stream();
        } catch (SQLException e) {
            log.debug("no connection beside the pool either", e);
            return Stream.empty();
        }
    }

    private static Finding none(long millis, RuntimeException failure) {
        return finding(
                Status.FAIL,
                "This process has got no connection to the database within %d ms: %s."
                        .formatted(
                                millis,
                                NestedExceptionUtils.getMostSpecificCause(failure)
                                        .getMessage()),
                millis,
                new Remedy(
                        "Look whether the database is up. If it is, somebody keeps all connections of the pool: take a thread dump, and compare the pool's size with docs/operations.md.",
                        null,
                        false));
    }

    private Finding had(long millis) {
        if (millis <= slow.toMillis()) {
            return finding(Status.OK, "The pool of this process has connections.", millis, null);
        }
        return finding(
                Status.WARN,
                "This process has waited %d ms for a connection and the answer to %s.".formatted(millis, LOOK.sql()),
                millis,
                new Remedy(
                        "Make the pool larger, or the listeners and requests fewer that keep a connection: docs/operations.md has the arithmetic.",
                        null,
                        false));
    }

    private static Finding finding(Status status, String cause, long millis, @Nullable Remedy remedy) {
        return new Finding(
                CODE, status, cause, new Evidence(LOOK.sql(), List.of("{milliseconds=%d}".formatted(millis))), remedy);
    }

    private static long millisSince(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun).toMillis();
    }
}
