package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerTest {

    @Test
    void keepsWhatWasCommittedWhenItIsStoppedInTheMiddleOfThings() throws SQLException {
        try (EmbeddedServer server = EmbeddedServer.start();
                TestDatabase database = server.newDatabase();
                Connection connection = database.unpooled().getConnection()) {
            long firstPid = server.pid();
            Sql.run(connection, "create table t as select 'committed' as v");
            Sql.run(connection, "begin");
            Sql.run(connection, "update t set v = 'lost'");

            server.stopImmediately();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> Sql.run(database.unpooled(), "select 1")).hasMessageContaining("refused");
            server.startAgain();

            assertThat(Sql.run(database.unpooled(), "select v from t")).isEqualTo("committed");
            assertThat(server.pid()).isNotEqualTo(firstPid);
            assertThatThrownBy(() -> Sql.run(connection, "select 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void closingItCutsConnectionsAndFreesItsPortAndFolder() throws SQLException {
        EmbeddedServer server = EmbeddedServer.start();
        DataSource source = server.unpooled("postgres");
        Path data = Path.of(Sql.run(source, "show data_directory"));
        try (Connection open = source.getConnection()) {
            server.close();

            assertThat(server.isRunning()).isFalse();
            assertThat(data).doesNotExist();
            assertThatThrownBy(() -> Sql.run(open, "select 1")).isInstanceOf(SQLException.class);
        }
        server.close();
    }

    @Test
    void aSecondServerOfThisJvmLeavesTheFirstOneItsFolder() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start()) {
            Path folder = Path.of(Sql.run(server.unpooled("postgres"), "show data_directory"))
                    .getParent();
            Files.setLastModifiedTime(
                    folder, FileTime.from(Instant.now().minus(Duration.ofHours(1)))); // no longer spared for its youth
            EmbeddedServer.start().close();

            assertThat(anotherJvmCanLock(folder)).isFalse();
        }
    }

    private static boolean anotherJvmCanLock(Path folder) throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TryLock.class.getName(),
                        folder.resolve("lock").toString())
                .inheritIO()
                .start();
        return other.waitFor() == 0;
    }

    /** Exits with 0 if it got the lock, with 3 if somebody else has it. */
    static final class TryLock {

        public static void main(String[] file) throws IOException {
            try (FileChannel channel = FileChannel.open(Path.of(file[0]), StandardOpenOption.WRITE)) {
                System.exit(channel.tryLock() != null ? 0 : 3);
            }
        }
    }

    @Test
    void usesTheFolderPortAndSettingsThatItIsGiven(@TempDir Path folder) throws SQLException {
        Path data = folder.resolve("data");
        int port;
        try (EmbeddedServer server = EmbeddedServer.start(data, 0, Map.of("fsync", "on", "work_mem", "5MB"))) {
            port = server.port();
            Sql.run(server.unpooled("postgres"), "create database kept");
            assertThat(Sql.run(server.unpooled("kept"), "show fsync")).isEqualTo("on");
            assertThat(Sql.run(server.unpooled("kept"), "show work_mem")).isEqualTo("5MB");
        }

        try (EmbeddedServer server = EmbeddedServer.start(data, port, Map.of())) {
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.jdbcUrl("kept")).isEqualTo("jdbc:postgresql://127.0.0.1:" + port + "/kept");
            assertThat(Sql.run(server.unpooled("kept"), "show fsync")).isEqualTo("off");
        }
        assertThat(Files.exists(data)).isTrue();
    }

    @Test
    void saysWhyItDidNotStart() {
        assertThatThrownBy(() -> EmbeddedServer.start(Map.of("no_such_setting", "1")))
                .hasMessageContaining("unrecognized configuration parameter \"no_such_setting\"");
    }
}
