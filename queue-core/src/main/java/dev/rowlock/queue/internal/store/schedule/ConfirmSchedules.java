package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Notes that applications still declare their recurring jobs, and retires those that none declares any more. */
public final class ConfirmSchedules {

    // Nodes confirm the same ones: whoever comes next after a while writes it down. Who changes one at this moment must
    // not
    // keep the others.
    private static final String CONFIRM = """
            UPDATE rowlock.schedule
               SET declared_at = statement_timestamp()
             WHERE name IN (SELECT name FROM rowlock.schedule
                             WHERE name = ANY (?::text[]) AND declared_by IS NOT NULL
                               AND (declared_at < statement_timestamp() - ? * interval '1 ms'
                                    OR declared_at > statement_timestamp())
                             ORDER BY name FOR UPDATE SKIP LOCKED)
            """;

    private static final String UNDECLARED = """
            SELECT name FROM rowlock.schedule
             WHERE declared_at < statement_timestamp() - ? * interval '1 ms' AND retired_at IS NULL
            """;

    private static final String RETIRE = """
            UPDATE rowlock.schedule
               SET version = version + 1, retired_at = statement_timestamp(), fire_at = NULL, queued_at = NULL
             WHERE name IN (SELECT name FROM rowlock.schedule
                             WHERE name = ANY (?::text[]) AND retired_at IS NULL
                               AND declared_at < statement_timestamp() - ? * interval '1 ms'
                             ORDER BY name FOR UPDATE SKIP LOCKED)
            """;

    private final Database database;
    private final String confirm;
    private final String undeclared;
    private final String retire;

    public ConfirmSchedules(Database database) {
        this.database = database;
        this.confirm = database.sql(CONFIRM);
        this.undeclared = database.sql(UNDECLARED);
        this.retire = database.sql(RETIRE);
    }

    /** Notes that an application declares them, unless that was noted less than this ago. */
    public void confirm(Collection<String> names, Duration notSince) {
        database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, confirm)) {
                statement.setObject(1, Columns.texts(List.copyOf(names), name -> name));
                statement.setLong(2, notSince.toMillis());
                return statement.executeUpdate();
            }
        });
    }

    /** The names of those that nobody has declared for so long. */
    public Set<String> undeclared(Duration forSoLong) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, undeclared)) {
                statement.setLong(1, forSoLong.toMillis());
                Set<String> names = new TreeSet<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        names.add(rows.getString(1));
                    }
                }
                return names;
            }
        });
    }

    /** Retires those of these that nobody has declared for so long. Returns how many. */
    public int retire(Collection<String> names, Duration undeclaredFor) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, retire)) {
                statement.setObject(1, Columns.texts(List.copyOf(names), name -> name));
                statement.setLong(2, undeclaredFor.toMillis());
                return statement.executeUpdate();
            }
        });
    }
}
