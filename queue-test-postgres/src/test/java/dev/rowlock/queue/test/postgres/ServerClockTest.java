package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class ServerClockTest {

    private static final String SECONDS_AHEAD = "select round(extract(epoch from statement_timestamp()) - %s)";

    @Test
    void aServersClockIsSetForwardAndBackUnderItsOpenConnections() throws SQLException {
        try (ServerClock clock = ServerClock.openOrSkip();
                EmbeddedServer server = EmbeddedServer.start(Map.of(), clock);
                Connection connection = server.unpooled("postgres").getConnection()) {
            assertThat(secondsAhead(connection)).isBetween(-5L, 5L);

            clock.set(Duration.ofHours(1));
            assertThat(secondsAhead(connection)).isBetween(3_595L, 3_605L);

            clock.set(Duration.ofHours(-1));
            assertThat(secondsAhead(connection)).isBetween(-3_605L, -3_595L);
        }
    }

    @Test
    void aServerThatStartsAgainGoesByTheClockThatWasSetMeanwhile() throws SQLException {
        try (ServerClock clock = ServerClock.openOrSkip();
                EmbeddedServer server = EmbeddedServer.start(Map.of(), clock)) {
            DataSource source = server.unpooled("postgres");

            server.stopImmediately();
            clock.set(Duration.ofDays(-1));
            server.startAgain();

            try (Connection connection = source.getConnection()) {
                assertThat(secondsAhead(connection)).isBetween(-86_405L, -86_395L);
            }
        }
    }

    private static long secondsAhead(Connection connection) throws SQLException {
        return Long.parseLong(Sql.run(connection, SECONDS_AHEAD.formatted(System.currentTimeMillis() / 1000.0)));
    }
}
