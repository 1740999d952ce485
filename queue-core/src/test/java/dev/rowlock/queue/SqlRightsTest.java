package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.schema.SchemaScript;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Who may call the functions for SQL, and what else such a role may do. */
class SqlRightsTest extends SqlCalls {

    private final JdbcClient admin;

    SqlRightsTest(TestDatabase test) {
        super(test);
        admin = JdbcClient.create(test.superuser());
    }

    @Test
    void aRoleThatMayCallTheFunctionsNeedsNoTable() throws SQLException {
        String role = "shop_" + test.name();
        admin.sql("CREATE ROLE " + role).update();
        try {
            execute(SchemaScript.grantFunctionsSql("rowlock", role));
            try (Connection connection = test.superuser().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET ROLE " + role);
                statement.execute("SELECT rowlock.cancel(rowlock.enqueue('a', '{}'))"); // writes the audit as well
                statement.execute("SELECT * FROM rowlock.enqueue_unique('a', '{}', 'key')");
                statement.execute("SELECT rowlock.enqueue_with_key('a', '{}', 'tenant-7')");
                statement.execute("SELECT * FROM rowlock.enqueue_unique_with_key('a', '{}', 'other key', 'tenant-7')");
                assertThatThrownBy(() -> statement.execute("SELECT * FROM rowlock.job_details"))
                        .hasMessageContaining("permission denied");
                assertThatThrownBy(() -> statement.execute("SELECT rowlock.send_wakeup('a|')"))
                        .hasMessageContaining("permission denied");
            }
        } finally {
            admin.sql("DROP OWNED BY " + role).update();
            admin.sql("DROP ROLE " + role).update();
        }
    }

    @Test
    void nobodyElseMayCallThem() throws SQLException {
        String role = "other_" + test.name();
        admin.sql("CREATE ROLE " + role).update();
        execute("GRANT USAGE ON SCHEMA rowlock TO " + role);
        try (Connection connection = test.superuser().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + role);
            assertThatThrownBy(() -> statement.execute("SELECT rowlock.enqueue('a', '{}')"))
                    .hasMessageContaining("permission denied for function enqueue");
            assertThatThrownBy(() ->
                            statement.execute("SELECT rowlock.enqueue_unique_with_key('a', '{}', 'key', 'tenant-7')"))
                    .hasMessageContaining("permission denied for function enqueue_unique_with_key");
        } finally {
            admin.sql("DROP OWNED BY " + role).update();
            admin.sql("DROP ROLE " + role).update();
        }
    }
}
