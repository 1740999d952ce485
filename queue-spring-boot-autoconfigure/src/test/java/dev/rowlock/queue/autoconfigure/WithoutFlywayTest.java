package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application whose tables are made elsewhere has no Flyway. It is a process of its own here, for what is on its class path. */
@PostgresTest(freshPerTest = true)
class WithoutFlywayTest {

    private final TestDatabase database;

    WithoutFlywayTest(TestDatabase database) {
        this.database = database;
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate", "none"})
    void anApplicationThatMakesNoTablesRunsWithoutFlyway(String mode) throws Exception {
        new SchemaMigrator(database.dataSource(), "rowlock", SchemaMode.MIGRATE).run();

        assertThat(outputWith(mode)).contains("ran: no Flyway").doesNotContain("NoClassDefFoundError");
    }

    @Test
    void anApplicationThatIsToMakeThemSaysWhatIsMissing() throws Exception {
        assertThat(outputWith("migrate"))
                .contains(
                        "APPLICATION FAILED TO START", "no org.flywaydb:flyway-core on the class path", "mode=validate")
                .doesNotContain("ran: ");
    }

    private String outputWith(String mode) throws IOException, InterruptedException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("flyway") && !entry.contains("liquibase"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        FlywaylessApplication.class.getName(),
                        "--rowlock.schema.mode=" + mode,
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password())
                .redirectErrorStream(true)
                .start();
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
