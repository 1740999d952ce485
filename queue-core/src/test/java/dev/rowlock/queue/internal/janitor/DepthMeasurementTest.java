package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

@PostgresTest(migrated = true)
class DepthMeasurementTest {

    private final Rooms rooms;
    private final Chore measurement;

    DepthMeasurementTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        measurement = chore();
    }

    @Test
    void aLockedTableHoldsUpNoMeasurementAndFiguresAreYoungOnceItIsFree() throws SQLException {
        rooms.ready();
        try (OpenTransaction somebody = new OpenTransaction(rooms.database())) {
            somebody.database().alone(connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.execute(rooms.database().sql("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE"));
                }
            });

            assertThatThrownBy(measurement::runOnce)
                    .isInstanceOf(DataAccessException.class)
                    .hasMessageContaining("lock timeout");
        }

        Duration rest = measurement.runOnce();

        assertThat(new ClusterStatements(rooms.database()).depths()).hasSize(1);
        assertThat(rest).isLessThanOrEqualTo(Duration.ofMinutes(1));
    }

    private Chore chore() {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals("depth"))
                .findFirst()
                .orElseThrow();
    }
}
