package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Set;
import java.util.TreeSet;

/** Pauses and resumes queues. Joins the caller's transaction; nodes hear with their next heartbeat. */
public final class PauseQueue {

    private static final String PAUSE = """
            INSERT INTO rowlock.queue AS q (name, paused_at) VALUES (?, statement_timestamp())
            ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(q.paused_at, excluded.paused_at)
            """;

    private static final String RESUME = "UPDATE rowlock.queue SET paused_at = NULL WHERE name = ?";

    private static final String PAUSED = "SELECT name FROM rowlock.queue WHERE paused_at IS NOT NULL";

    private final Database database;

    public PauseQueue(Database database) {
        this.database = database;
    }

    public void pause(String queue) {
        change(PAUSE, queue);
    }

    public void resume(String queue) {
        change(RESUME, queue);
    }

    public Set<String> paused() {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(PAUSED));
                    ResultSet rows = statement.executeQuery()) {
                Set<String> names = new TreeSet<>();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
                return names;
            }
        });
    }

    private void change(String text, String queue) {
        database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(text))) {
                statement.setString(1, queue);
                return statement.executeUpdate();
            }
        });
    }
}
