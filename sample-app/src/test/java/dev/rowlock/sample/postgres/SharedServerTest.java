package dev.rowlock.sample.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.rowlock.sample.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All starts are of one folder, and each finds what the first one, which has ended, wrote there. */
class SharedServerTest {

    @TempDir
    private static Path folder;

    private static final int PORT = FreePorts.next();

    @BeforeAll
    static void firstStart() throws SQLException {
        try (SharedServer server = join()) {
            execute(server, "CREATE TABLE kept (value text)");
            execute(server, "INSERT INTO kept VALUES ('by the first start')");
        }
    }

    @Test
    void twoConcurrentStartsShareOneServerAndTheLastOneToCloseStopsIt() throws SQLException {
        List<CompletableFuture<SharedServer>> joining = Stream.generate(
                        () -> CompletableFuture.supplyAsync(SharedServerTest::join))
                .limit(2)
                .toList();
        SharedServer first = joining.get(0).join();
        SharedServer second = joining.get(1).join();
        assertThat(first.getJdbcUrl()).isEqualTo(second.getJdbcUrl());

        first.close();
        assertThat(value(second, "SELECT value FROM kept")).isEqualTo("by the first start");
        assertThat(Postmaster.of(data())).isPresent();

        second.close();
        assertThat(Postmaster.of(data())).isEmpty();
    }

    @Test
    void itsDataStayBetweenRunsAndAreSafeOnDisk() throws SQLException {
        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT value FROM kept")).isEqualTo("by the first start");
            assertThat(value(server, "SHOW fsync")).isEqualTo("on");
        }
    }

    @Test
    void aServerThatWasKilledRecovers() throws SQLException {
        SharedServer killed = join();
        execute(killed, "CREATE TABLE killed (value text)");
        ProcessHandle postmaster =
                ProcessHandle.of(Postmaster.of(data()).orElseThrow().pid()).orElseThrow();
        List<ProcessHandle> processes =
                Stream.concat(Stream.of(postmaster), postmaster.children()).toList();

        postmaster.destroyForcibly();
        // The others notice. Until the last is gone, the memory and the port that they share are in use.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> processes.stream().noneMatch(SharedServerTest::runs) && nobodyListens());

        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT count(*) FROM killed")).isEqualTo("0");
        } finally {
            killed.close();
        }
    }

    @Test
    void aPidFileOfAnotherProgramIsNoServer() throws IOException, SQLException {
        long somebody = ProcessHandle.current().pid();
        Files.writeString(data().resolve("postmaster.pid"), "%d%n%s%n%d%n%d%n".formatted(somebody, data(), 0, PORT));

        try (SharedServer server = join()) {
            assertThat(value(server, "SELECT value FROM kept")).isEqualTo("by the first start");
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (ServerSocket socket = new ServerSocket(PORT, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound()).isTrue();
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(SharedServerTest::join)
                    .withMessage("port %d is taken by another program: choose one with --sample.postgres.port", PORT);
        }
    }

    /** A dead process that nobody has waited for yet has no command any more. */
    private static boolean runs(ProcessHandle process) {
        return process.info().command().isPresent();
    }

    private static boolean nobodyListens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), PORT)) {
            return false;
        } catch (IOException e) {
            return true;
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
