package dev.rowlock.sample.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.rowlock.sample.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The tests build on each other's data, as one start of the sample builds on the one before. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SharedServerTest {

    @TempDir
    private static Path folder;

    private static final int PORT = FreePorts.next();

    @Test
    @Order(1)
    void twoConcurrentStartsShareOneServerAndTheLastOneToCloseStopsIt() throws SQLException {
        List<CompletableFuture<SharedServer>> joining = Stream.generate(
                        () -> CompletableFuture.supplyAsync(SharedServerTest::join))
                .limit(2)
                .toList();
        SharedServer first = joining.get(0).join();
        SharedServer second = joining.get(1).join();
        assertThat(first.getJdbcUrl()).isEqualTo(second.getJdbcUrl());
        execute(first, "CREATE TABLE kept (value int)");

        first.close();
        execute(second, "INSERT INTO kept VALUES (1)");
        assertThat(Postmaster.of(data())).isPresent();

        second.close();
        assertThat(Postmaster.of(data())).isEmpty();
    }

    @Test
    @Order(2)
    void itsDataStayBetweenRunsAndAreSafeOnDisk() throws SQLException {
        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT count(*) FROM kept")).isEqualTo("1");
            assertThat(value(server, "SHOW fsync")).isEqualTo("on");
        }
    }

    @Test
    @Order(3)
    void aServerThatWasKilledRecovers() throws SQLException {
        SharedServer killed = join();
        execute(killed, "INSERT INTO kept VALUES (2)");
        ProcessHandle postmaster =
                ProcessHandle.of(Postmaster.of(data()).orElseThrow().pid()).orElseThrow();

        postmaster.destroyForcibly();
        await().until(() -> Postmaster.of(data()).isEmpty());

        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT count(*) FROM kept")).isEqualTo("2");
        }
        killed.close();
    }

    @Test
    @Order(4)
    void aPidFileOfAnotherProgramIsNoServer() throws IOException, SQLException {
        long somebody = ProcessHandle.current().pid();
        Files.writeString(data().resolve("postmaster.pid"), "%d%n%s%n%d%n%d%n".formatted(somebody, data(), 0, PORT));

        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT count(*) FROM kept")).isEqualTo("2");
        }
    }

    @Test
    @Order(5)
    void aPortThatIsTakenIsNamed() throws IOException {
        try (ServerSocket socket = new ServerSocket(PORT, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound()).isTrue();
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(SharedServerTest::join)
                    .withMessage("port %d is taken by another program: choose one with --sample.postgres.port", PORT);
        }
    }

    private static SharedServer join() {
        return SharedServer.join(folder, PORT);
    }

    private static Path data() {
        return DataFolder.at(folder).data();
    }

    private static void execute(SharedServer server, String sql) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(SharedServer server, String sql) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static Connection connect(SharedServer server) throws SQLException {
        return DriverManager.getConnection(server.getJdbcUrl(), server.getUsername(), server.getPassword());
    }
}
