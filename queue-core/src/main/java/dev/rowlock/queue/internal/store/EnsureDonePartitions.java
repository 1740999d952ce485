package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;

/** Makes the partitions of done for today and some days to come. */
public final class EnsureDonePartitions {

    private static final String SQL = "SELECT rowlock.ensure_done_partitions(?)";

    private final Database database;
    private final String sql;

    public EnsureDonePartitions(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public void run(int daysAhead) {
        database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setInt(1, daysAhead);
                return statement.execute();
            }
        });
    }
}
