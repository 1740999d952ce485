package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@Representative
@EnabledIf(
        value = "dev.rowlock.queue.test.postgres.ContainerServer#engineAnswers",
        disabledReason = "no Docker engine answers on this machine")
class ContainerServerTest {

    @Test
    void runsARealServerWithDatabasesToConnectTo() throws SQLException {
        Selection selection = TestPostgres.selection();
        String image = selection.kind() == Selection.Kind.CONTAINER ? selection.target() : "postgres:18";

        try (ContainerServer server = ContainerServer.start(image);
                TestDatabase database = server.newDatabase()) {
            assertThat(Sql.run(database.dataSource(), "select current_database()"))
                    .isEqualTo(database.name());
            assertThat(Sql.run(database.dataSource(), "show fsync")).isEqualTo("off");
        }
    }
}
