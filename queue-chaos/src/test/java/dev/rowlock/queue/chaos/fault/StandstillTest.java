package dev.rowlock.queue.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.cluster.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class StandstillTest {

    @Test
    void theServersProcessesSayWhatTheyWaitFor() throws Exception {
        try (Database database = Database.empty();
                Connection sleeper = database.dataSource("sleeper").getConnection()) {
            CompletableFuture.runAsync(() -> {
                try {
                    sleeper.createStatement().execute("SELECT pg_sleep(600)");
                } catch (SQLException e) {
                    // The server is stopped before it has slept enough.
                }
            });

            Awaitility.await()
                    .untilAsserted(() -> assertThat(Standstill.processes(database.sql()))
                            .contains("PgSleep", "SELECT pg_sleep(600)")
                            .doesNotContain("does not say"));
            assertThat(new Standstill().look(database.sql()))
                    .as("who sleeps does not stand still")
                    .isEmpty();
        }
    }
}
