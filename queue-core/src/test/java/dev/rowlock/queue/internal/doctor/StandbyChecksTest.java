package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real standby, whose query holds back vacuum of its primary: by its feedback alone, then by its slot. */
class StandbyChecksTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void aStandbyThatHoldsBackVacuumIsNamedAndSoIsItsSlot(@TempDir Path folder) throws Exception {
        Path data = folder.resolve("primary").resolve("data");
        Path copy = folder.resolve("standby").resolve("data");
        try (EmbeddedServer primary = EmbeddedServer.start(data, 0, Map.of())) {
            primary.stop();
            copyForStandby(data, copy);
            primary.startAgain();
            try (EmbeddedServer standby = EmbeddedServer.start(copy, 0, following(primary));
                    Connection query = database(standby).getConnection()) {
                DataSource there = database(primary);
                assertThat(only(there, check("standby-feedback")).status()).isEqualTo(Status.OK);
                query.setAutoCommit(false);
                query.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                execute(query, "SELECT 1 FROM pg_class LIMIT 1");
                useTransactions(there, 500);

                await().atMost(LIMIT)
                        .untilAsserted(() -> assertThat(
                                        only(there, check("standby-feedback", Map.of("transactions", 400)))
                                                .cause())
                                .startsWith("The standby 'walreceiver' (address 127.0.0.1")
                                .endsWith("transactions by its hot_standby_feedback."));
                assertThat(only(there, check("held-by-slot", Map.of("transactions", 400)))
                                .status())
                        .isEqualTo(Status.OK);

                takeSlot(primary, standby);

                await().atMost(LIMIT)
                        .untilAsserted(() -> assertThat(only(there, check("held-by-slot", Map.of("transactions", 400)))
                                        .cause())
                                .startsWith("The replication slot 'of_standby' holds back vacuum by ")
                                .endsWith("dead rows of all tables stay."));
                assertThat(only(there, check("held-by-slot")).status()).isEqualTo(Status.OK);
                assertThat(only(there, check("held-by-slot", Map.of("transactions", 400)))
                                .remedy()
                                .sql())
                        .isNull();
            }
        }
    }

    private static Map<String, String> following(EmbeddedServer primary) {
        return Map.of(
                "primary_conninfo",
                "host=127.0.0.1 port=%d user=%s".formatted(primary.port(), primary.username()),
                "hot_standby_feedback",
                "on",
                "wal_receiver_status_interval",
                "1s");
    }

    private static void takeSlot(EmbeddedServer primary, EmbeddedServer standby) throws SQLException {
        try (Connection there = database(primary).getConnection();
                Connection here = database(standby).getConnection()) {
            execute(there, "SELECT pg_create_physical_replication_slot('of_standby', true)");
            execute(here, "ALTER SYSTEM SET primary_slot_name = 'of_standby'");
            execute(here, "SELECT pg_reload_conf()");
        }
    }

    private static void copyForStandby(Path data, Path copy) throws IOException {
        Files.createDirectories(copy.getParent());
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.toList()) {
                Files.copy(each, copy.resolve(data.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        Files.createFile(copy.resolve("standby.signal"));
    }

    private static DataSource database(EmbeddedServer server) {
        return server.unpooled(server.homeDatabase());
    }

    private static Finding only(DataSource dataSource, Check check) {
        return Examined.only(new Database(dataSource, new Schema("rowlock")), check);
    }

    private static void useTransactions(DataSource dataSource, int count) throws SQLException {
        try (Connection session = dataSource.getConnection()) {
            execute(
                    session,
                    "DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$"
                            .formatted(count));
        }
    }

    private static void execute(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        }
    }
}
