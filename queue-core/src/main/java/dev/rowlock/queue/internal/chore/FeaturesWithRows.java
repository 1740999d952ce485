package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.util.Set;

/** Which features may have something to do: for a caller's node, which would look for each of them before and after each job. */
public final class FeaturesWithRows {

    private static final String SQL = """
            SELECT feature
              FROM (VALUES ('once-more', EXISTS (SELECT FROM rowlock.once_more)),
                           ('workflows', EXISTS (SELECT FROM rowlock.workflow WHERE ended_at IS NULL)),
                           ('scheduler', EXISTS (SELECT FROM rowlock.schedule)),
                           ('gates', EXISTS (SELECT FROM rowlock.queue_limit))) AS found (feature, has_rows)
             WHERE has_rows
            """;

    private final Database database;

    public FeaturesWithRows(Database database) {
        this.database = database;
    }

    /** The names of those features. */
    public Set<String> run() {
        return database.alone(connection ->
                Set.copyOf(ColdStatement.on(connection, database.sql(SQL)).list(row -> row.getString(1))));
    }
}
