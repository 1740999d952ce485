package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class SmallDiskTest {

    @Test
    void aTableOnAFullDiskCannotGrowUntilThereIsRoomAgain() throws SQLException {
        try (SmallDisk disk = openIfAllowed();
                EmbeddedServer server = EmbeddedServer.start(Map.of(), disk)) {
            DataSource source = server.unpooled("postgres");
            Sql.run(source, "create tablespace small location '%s'".formatted(disk.folder()));
            Sql.run(source, "create table t tablespace small as select 1 as v");
            String many = "insert into t select generate_series(1, 10000)";

            disk.fill();
            assertThatThrownBy(() -> Sql.run(source, many))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53100"))
                    .hasMessageContaining("No space left on device");
            assertThat(Sql.run(source, "select v from t")).isEqualTo("1");
            server.stopImmediately();
            server.startAgain();
            assertThatThrownBy(() -> Sql.run(source, many)).hasMessageContaining("No space left on device");

            disk.free();
            Sql.run(source, many);
            assertThat(Sql.run(source, "select count(*) from t")).isEqualTo("10001");
        }
    }

    private static SmallDisk openIfAllowed() {
        try {
            return SmallDisk.open();
        } catch (UnsupportedOperationException e) {
            return Assumptions.abort(String.valueOf(e.getMessage()));
        }
    }
}
