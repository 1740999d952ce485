package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PostgresTestTest {

    @Nested
    @PostgresTest
    class ByDefault {

        private static final Set<String> SEEN = new HashSet<>();

        private final TestDatabase database;

        ByDefault(TestDatabase database) {
            this.database = database;
        }

        @BeforeAll
        static void beforeAllTests(TestDatabase database) {
            SEEN.add(database.name());
        }

        @Test
        void aClassHasOneDatabase(TestDatabase parameter) {
            SEEN.add(database.name());

            assertThat(parameter).isSameAs(database);
            assertThat(SEEN).hasSize(1);
        }

        @Test
        void anotherTestSeesTheSameDatabase(DataSource pool) throws SQLException {
            SEEN.add(database.name());

            assertThat(Sql.run(pool, "select current_database()")).isEqualTo(database.name());
            assertThat(SEEN).hasSize(1);
        }

        @Nested
        class InANestedClass {

            @Test
            void aNestedTestSeesTheSameDatabase(TestDatabase nested) {
                assertThat(nested).isSameAs(database);
            }
        }
    }

    @Nested
    @PostgresTest(freshPerTest = true)
    class FreshPerTest {

        private static final Set<String> SEEN = new HashSet<>();

        private final TestDatabase database;

        FreshPerTest(TestDatabase database) {
            this.database = database;
        }

        @Test
        void everyTestHasItsOwnDatabase(TestDatabase parameter) {
            assertThat(parameter).isSameAs(database);
            assertThat(SEEN.add(database.name())).isTrue();
        }

        @Test
        void theNextTestHasItsOwnDatabaseToo() {
            assertThat(SEEN.add(database.name())).isTrue();
        }
    }

    @Nested
    @PostgresTest(freshPerTest = true, migrated = true)
    class Migrated {

        private final DataSource database;

        Migrated(DataSource database) {
            this.database = database;
        }

        @Test
        void everyTestFindsTheTables() throws SQLException {
            requireAsMade();
        }

        @Test
        void noTestFindsWhatAnotherHasWritten() throws SQLException {
            requireAsMade();
        }

        private void requireAsMade() throws SQLException {
            assertThat(Sql.run(database, "insert into made default values returning number"))
                    .isEqualTo("1");
            assertThat(Sql.run(database, "select count(*) from made")).isEqualTo("1");
            assertThat(OneTable.MADE).hasValue(1);
        }
    }

    public static final class OneTable implements TestTables {

        private static final AtomicInteger MADE = new AtomicInteger();

        @Override
        public void make(DataSource database) {
            try {
                Sql.run(database, "create table made (number int generated always as identity)");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            MADE.incrementAndGet();
        }
    }
}
