package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Evidence;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.doctor.AnyAnswer;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Asks this process's pool for a connection before all checks. Without one they do not begin: each would wait for the pool as long again. */
public final class ConnectionFirst implements Doctor {

    private static final String CODE = "connection-pool";
    private static final Look LOOK = new AnyAnswer();

    private final Database database;
    private final Duration slow;
    private final Doctor checks;

    /** @param slow a pool that takes longer is a finding */
    public ConnectionFirst(Database database, Duration slow, Doctor checks) {
        this.database = database;
        this.slow = slow;
        this.checks = checks;
    }

    @Override
    public List<Finding> examine() {
        long begun = System.nanoTime();
        try {
            database.alone(connection -> LOOK.run(connection, database.schema()));
        } catch (RuntimeException e) {
            return List.of(none(millisSince(begun), e));
        }
        return Stream.concat(Stream.of(had(millisSince(begun))), checks.examine().stream())
                .toList();
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
