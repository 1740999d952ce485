package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

@Representative
class TestDatabaseTest {

    @Test
    void databasesAreEmptyAndApart() throws SQLException {
        try (TestDatabase one = TestPostgres.newDatabase();
                TestDatabase other = TestPostgres.newDatabase()) {
            Sql.run(one.dataSource(), "create table t ()");

            assertThat(Sql.run(one.dataSource(), "select to_regclass('t')")).isEqualTo("t");
            assertThat(Sql.run(other.dataSource(), "select to_regclass('t')")).isNull();
        }
    }

    @Test
    void itsUrlUserAndPasswordAreAllThatAnotherProcessNeeds() throws SQLException {
        try (TestDatabase database = TestPostgres.newDatabase();
                Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.username(), database.password())) {
            assertThat(Sql.run(connection, "select current_database()")).isEqualTo(database.name());
        }
    }

    @Test
    void testsAreARoleAsApplicationsHaveIt() throws SQLException {
        try (TestDatabase database = TestPostgres.newDatabase()) {
            assertThat(Sql.run(database.unpooled(), "select usesuper from pg_user where usename = current_user"))
                    .isEqualTo("f");
            assertThat(Sql.run(database.unpooled(), "show statement_timeout")).isEqualTo("1min");
            assertThat(Sql.run(database.unpooled(), "show lock_timeout")).isEqualTo("20s");
            Sql.run(database.unpooled(), "create schema own; create table own.t (); create table public.t ()");

            assertThat(Sql.run(
                            database.superuser(), "select pg_get_userbyid(relowner) from pg_class where relname = 't'"))
                    .isEqualTo(database.username());
            assertThat(Sql.run(database.superuser(), "select usesuper from pg_user where usename = current_user"))
                    .isEqualTo("t");
        }
    }

    @Test
    void closingDropsItWhoeverIsStillConnected() throws SQLException {
        TestDatabase database = TestPostgres.newDatabase();
        try (Connection pooled = database.dataSource().getConnection();
                Connection unpooled = database.unpooled().getConnection()) {
            Sql.run(unpooled, "begin");

            database.close();

            assertThatThrownBy(() -> Sql.run(unpooled, "select 1")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> Sql.run(database.unpooled(), "select 1"))
                    .hasMessageContaining(database.name())
                    .hasMessageContaining("does not exist");
        }
    }

    @Test
    void aServerOfOursHasRoomForManyConnectionsAndDoesNotWaitForTheDisk() throws SQLException {
        assumeThat(TestPostgres.selection().kind()).isNotEqualTo(Selection.Kind.URL);

        try (TestDatabase database = TestPostgres.newDatabase()) {
            assertThat(Sql.run(database.unpooled(), "show max_connections")).isEqualTo("200");
            assertThat(Sql.run(database.unpooled(), "show fsync")).isEqualTo("off");
        }
    }

    @Test
    void theServerHasTheVersionThatWasAskedFor() {
        TestPostgres.selection().requireVersion(TestPostgres.server().version());
        assertThat(TestPostgres.server().version()).isBetween(14, 18);
    }
}
