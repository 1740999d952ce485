package dev.rowlock.queue.internal.db;

import java.sql.PreparedStatement;
import java.util.List;

/** Notifies all nodes of this schema. Not for use inside a business transaction: NOTIFY takes a global lock at commit. */
public final class SendWakeup {

    /** With so much of the server's queue of notifications in use, no statement that does something else notifies as well. */
    public static final String FULL = "0.9";

    /**
     * Tells all nodes. A notifying transaction gets an id, so its commit would wait for the disk, and with it every wake-up. It
     * has nothing to lose: after a crash of the server nobody is listening any more.
     */
    private static final String SQL = "SELECT " + TimeLimit.SETTING + """
            , set_config('synchronous_commit', 'off', true);
            SELECT pg_notify(?, message) FROM unnest(?::text[]) AS m (message)
            """;

    private final Database database;

    public SendWakeup(Database database) {
        this.database = database;
    }

    public void run(List<String> messages) {
        database.atOnce(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SQL)) {
                statement.setString(1, database.schema().channel());
                statement.setObject(2, messages.toArray(String[]::new));
                return statement.execute();
            }
        });
    }
}
