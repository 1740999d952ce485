package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/** Compares the database's clock with one of this process. */
public final class ReadClock {

    private static final String SQL = "SELECT clock_timestamp()";

    private final Database database;

    public ReadClock(Database database) {
        this.database = database;
    }

    /** How far the database's clock is ahead. The database looks at it at some time during the round trip: that much is no difference. */
    public Duration ahead(InstantSource clock) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SQL)) {
                Instant before = clock.instant();
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    Instant there = Objects.requireNonNull(Columns.instant(row, 1));
                    Instant after = clock.instant();
                    if (there.isAfter(after)) {
                        return Duration.between(after, there);
                    }
                    return there.isBefore(before) ? Duration.between(before, there) : Duration.ZERO;
                }
            }
        });
    }
}
