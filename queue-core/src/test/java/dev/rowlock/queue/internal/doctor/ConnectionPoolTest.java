package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@PostgresTest
class ConnectionPoolTest {

    private final HikariDataSource pool;

    ConnectionPoolTest(TestDatabase test) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(test.unpooled());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        pool = new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private List<Finding> examine(Check ofPool) {
        Check another = Check.check("another", "Another check.")
                .sql("SELECT 1 WHERE false")
                .finds(Check.Diagnosis.warn("It finds something.", "Nothing helps."));
        return new Examination(
                        new Database(pool, new Schema("rowlock")),
                        List.of(another),
                        new LateQueues(LateAfter.DEFAULT),
                        ofPool,
                        null)
                .examine();
    }

    @Test
    void aPoolThatGivesNoConnectionIsTheOnlyFindingWhereNoneCanBeOpenedBesideIt() throws SQLException {
        try (Connection kept = pool.getConnection()) {
            List<Finding> findings = examine(ProcessChecks.CONNECTION_POOL);

            assertThat(kept.isClosed()).isFalse();
            assertThat(findings).singleElement().satisfies(finding -> {
                assertThat(finding.status()).isEqualTo(Status.FAIL);
                assertThat(finding.cause()).contains("got no connection").contains("active=1");
            });
        }
        assertThat(examine(ProcessChecks.CONNECTION_POOL))
                .extracting(Finding::status)
                .containsExactly(Status.OK, Status.OK);
    }

    @Test
    void aPoolThatIsSlowIsNamedBesideWhatOtherChecksFind() {
        List<Finding> findings = examine(Examined.with(ProcessChecks.CONNECTION_POOL, Map.of("slow_millis", -1)));

        assertThat(findings).extracting(Finding::code).containsExactly("connection-pool", "another");
        assertThat(findings.get(0).status()).isEqualTo(Status.WARN);
        assertThat(findings.get(0).cause()).contains("for a connection");
    }
}
