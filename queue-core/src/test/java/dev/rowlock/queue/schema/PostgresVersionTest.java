package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

@PostgresTest
class PostgresVersionTest {

    private final TestDatabase database;

    PostgresVersionTest(TestDatabase database) {
        this.database = database;
    }

    @ParameterizedTest
    @CsvSource({"13, PostgreSQL 13.22 on x86_64", "9, PostgreSQL 9.6.24", "15, CockroachDB CCL v24.1.0"})
    void databasesThatTheSqlDoesNotRunOnAreRefusedByName(int major, String version) {
        assertThatThrownBy(() -> PostgresVersion.requireSupported(major, version))
                .isInstanceOf(UnsupportedDatabaseException.class)
                .hasMessageContaining(version)
                .hasMessageContaining("PostgreSQL 14 or later");
    }

    @Test
    void theOldestSupportedVersionIsAccepted() {
        assertThatCode(() -> PostgresVersion.requireSupported(14, "PostgreSQL 14.20 on x86_64"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource
    void databasesThatCannotHoldAllLettersAreRefusedByNameInEachMode(SchemaMode mode) {
        String provider = TestPostgres.server().version() < 15 ? "" : "locale_provider libc";
        JdbcClient server = JdbcClient.create(database.superuser());
        String name = database.name() + "_latin1";
        server.sql("create database %s template template0 encoding 'LATIN1' %s locale 'C'".formatted(name, provider))
                .update();
        try {
            PGSimpleDataSource latin1 = new PGSimpleDataSource();
            latin1.setUrl(database.jdbcUrl().replace(database.name(), name));
            latin1.setUser(database.username());
            latin1.setPassword(database.password());

            assertThatThrownBy(() -> new SchemaMigrator(latin1, "rowlock", mode).run())
                    .isInstanceOf(UnsupportedDatabaseException.class)
                    .hasMessageContaining("'" + name + "' is LATIN1")
                    .hasMessageContaining("ENCODING 'UTF8'");
        } finally {
            server.sql("drop database " + name).update();
        }
    }
}
