package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Counts all jobs by queue and state, exactly. Reads whole tables: for tests and for people, not for each scrape. */
public final class CountJobs {

    private static final String SQL =
            "SELECT queue, state, count(*) FROM rowlock.job GROUP BY queue, state ORDER BY queue, state";

    private final Database database;
    private final String sql;

    public CountJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public <T> List<T> run(FindJob.Row<T> row) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet rows = statement.executeQuery()) {
                List<T> counts = new ArrayList<>();
                while (rows.next()) {
                    counts.add(row.read(rows));
                }
                return counts;
            }
        });
    }
}
