package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A role that may not make schemas in its database. */
@PostgresTest(freshPerTest = true)
class SchemaRightsTest {

    private static final Schema SCHEMA = new Schema("rowlock");

    private final JdbcClient admin;
    private final String role;
    private final DataSource application;

    SchemaRightsTest(TestDatabase database) {
        this.admin = JdbcClient.create(database.superuser());
        this.role = database.name() + "_app";
        this.application = new DriverManagerDataSource(database.jdbcUrl(), role, "pass");
    }

    @BeforeEach
    void makeRole() {
        admin.sql("CREATE ROLE %s LOGIN PASSWORD 'pass'".formatted(role)).update();
    }

    @AfterEach
    void dropRole() {
        admin.sql("DROP OWNED BY %s CASCADE".formatted(role)).update();
        admin.sql("DROP ROLE %s".formatted(role)).update();
    }

    @Test
    void theRoleMayUseASchemaThatWasMadeForIt() {
        admin.sql("CREATE SCHEMA rowlock AUTHORIZATION " + role).update();

        run(SchemaMode.MIGRATE);

        run(SchemaMode.VALIDATE);
    }

    @Test
    void theRoleMayRunThePlainScriptInASchemaThatWasMadeForIt() {
        admin.sql("CREATE SCHEMA rowlock AUTHORIZATION " + role).update();

        new JdbcTemplate(application).execute(SchemaScript.plainSql(SCHEMA.name()));

        run(SchemaMode.VALIDATE);
    }

    @Test
    void theErrorNamesTheMissingRightIfThereIsNoSchema() {
        assertThatThrownBy(() -> run(SchemaMode.MIGRATE))
                .isInstanceOf(SchemaForbiddenException.class)
                .hasMessageContaining("schema 'rowlock'")
                .hasMessageContaining(", where it has no right to CREATE");
    }

    private void run(SchemaMode mode) {
        new SchemaMigrator(application, SCHEMA.name(), mode).run();
    }
}
