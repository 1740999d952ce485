package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Nodes that beat and write outcomes, but cannot claim. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class FailingClaimsTest {

    public record Greet(String name) {}

    private static final Duration LASTING = Duration.ofSeconds(60);

    @Test
    void aNodeThatCannotClaimForHalfAMinuteSaysSoUntilItCanAndOnlyWhileItBeats(TestDatabase database) {
        Cut direct = new Cut(database.unpooled());
        try (TestNode node = new TestNode(database);
                TestNode other = new TestNode(database.dataSource(), direct)) {
            nothingCanBeClaimed(node);
            for (TestNode each : new TestNode[] {node, other}) {
                each.listener(Greet.class, (context, payload) -> null).start();
            }
            node.jobs.enqueue(new Greet("Ada"));
            assertThat(node.status().broken()).isEmpty();

            Awaitility.await().atMost(LASTING).untilAsserted(() -> saysThatItCannotClaim(node.status()));
            Awaitility.await().atMost(LASTING).untilAsserted(() -> saysThatItCannotClaim(other.status()));

            direct.isCut = true;
            cutConnectionsExceptTheCallers(node);
            Awaitility.await().until(() -> !other.status().beats());
            assertThat(other.status().broken())
                    .as("whatever fails now, the heartbeat tells of it")
                    .isEmpty();

            node.elsewhere.sql("DROP TRIGGER refuse ON rowlock.running").update();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.status().broken()).isEmpty());
        }
    }

    private static void saysThatItCannotClaim(NodeStatus status) {
        assertThat(status.broken()).containsExactly("rowlock-fetcher-default");
        assertThat(status.beats()).isTrue();
    }

    private static void nothingCanBeClaimed(TestNode node) {
        node.elsewhere.sql("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '42501'; END $$
                """).update();
        node.elsewhere.sql("""
                CREATE TRIGGER refuse BEFORE INSERT ON rowlock.running
                FOR EACH STATEMENT EXECUTE FUNCTION rowlock.refuse()
                """).update();
    }

    private static void cutConnectionsExceptTheCallers(TestNode node) {
        node.elsewhere
                .sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()")
                .query(Long.class)
                .single();
    }

    /** Opens no connection while it is cut. */
    private static final class Cut extends DelegatingDataSource {

        private volatile boolean isCut;

        Cut(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (isCut) {
                throw new SQLTransientConnectionException("cut");
            }
            return super.getConnection();
        }
    }
}
