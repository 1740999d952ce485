package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresVersionTest {

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
}
