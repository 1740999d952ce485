package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PgBouncer between this process and the database. */
@PostgresTest(migrated = true)
class TransactionPoolerTest {

    private final TestDatabase test;
    private final Rooms rooms;

    TransactionPoolerTest(TestDatabase database) {
        test = database;
        rooms = Rooms.emptyIn(database);
    }

    @ParameterizedTest
    @CsvSource({"transaction, FAIL", "session, OK"})
    void aPoolerThatGivesItsConnectionsToOthersIsNamed(String mode, Status expected, @TempDir Path folder)
            throws Exception {
        Path program = program();
        Process pooler = start(program, mode, folder);
        try {
            Finding finding = examine(through(folder));

            assertThat(finding.status()).as(finding.toString()).isEqualTo(expected);
        } finally {
            pooler.destroy();
            pooler.waitFor();
        }
    }

    @Test
    void withoutAPoolerThereIsNothingToSay() {
        assertThat(examine(test.unpooled()).status()).isEqualTo(Status.OK);
    }

    private Finding examine(DataSource listening) {
        return Examined.only(rooms.database(), ProcessChecks.pooler(listening));
    }

    private static Path program() {
        Path program = Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(program != null, "pgbouncer is not installed");
        return program;
    }

    private Process start(Path program, String mode, Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        URI server = URI.create(test.jdbcUrl().substring("jdbc:".length()).replaceAll("\\?.*", ""));
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Files.writeString(folder.resolve("port"), Integer.toString(port));
        Path users = Files.writeString(
                folder.resolve("users.txt"), "\"%s\" \"%s\"\n".formatted(test.username(), test.password()));
        Path settings = Files.writeString(folder.resolve("pgbouncer.ini"), """
                [databases]
                * = host=%s port=%d dbname=%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = trust
                auth_file = %s
                pool_mode = %s
                ignore_startup_parameters = extra_float_digits
                """.formatted(
                        server.getHost(), server.getPort(), test.name(), port, users, mode));
        // It refuses to run as root.
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().user().orElse("").equals("root")
                                ? List.of(program.toString(), "-u", "nobody", settings.toString())
                                : List.of(program.toString(), settings.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Awaitility.await().ignoreExceptions().until(() -> {
            try (Connection connection = through(folder).getConnection()) {
                return connection.isValid(1);
            }
        });
        return process;
    }

    private PGSimpleDataSource through(Path folder) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        try {
            source.setURL("jdbc:postgresql://127.0.0.1:%s/%s?prepareThreshold=0"
                    .formatted(Files.readString(folder.resolve("port")), test.name()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        source.setUser(test.username());
        source.setPassword(test.password());
        return source;
    }
}
