package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@PostgresTest
class ConnectionFirstTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final HikariDataSource pool;
    private final Doctor checks;

    ConnectionFirstTest(TestDatabase test) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(test.unpooled());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        pool = new HikariDataSource(config);
        checks = () ->
                List.of(new Finding("another", Status.OK, "Another check.", new Finding.Evidence("", List.of()), null));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private List<Finding> examine(Duration slow) {
        return new ConnectionFirst(new Database(pool, new Schema("rowlock")), slow, database -> checks, null).examine();
    }

    @Test
    void aPoolThatGivesNoConnectionIsTheOnlyFindingWhereNoneCanBeOpenedBesideIt() throws SQLException {
        try (Connection kept = pool.getConnection()) {
            List<Finding> findings = examine(SECOND);

            assertThat(kept.isClosed()).isFalse();
            assertThat(findings).singleElement().satisfies(finding -> {
                assertThat(finding.status()).isEqualTo(Status.FAIL);
                assertThat(finding.cause()).contains("got no connection").contains("active=1");
            });
        }
        assertThat(examine(SECOND)).extracting(Finding::status).containsExactly(Status.OK, Status.OK);
    }

    @Test
    void aPoolThatIsSlowIsNamedBesideWhatOtherChecksFind() {
        List<Finding> findings = examine(Duration.ofMillis(-1));

        assertThat(findings).extracting(Finding::code).containsExactly("connection-pool", "another");
        assertThat(findings.get(0).status()).isEqualTo(Status.WARN);
        assertThat(findings.get(0).cause()).contains("for a connection");
    }
}
