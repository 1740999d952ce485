package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application whose tables are made elsewhere has no Flyway. It is a process of its own here, for what is on its class path. */
@PostgresTest(migrated = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WithoutFlywayTest {

    private List<String> output = List.of();

    /** The last one cannot start. */
    @BeforeAll
    void startInAllModes(TestDatabase database) throws IOException, InterruptedException {
        output = List.of(run("validate,none,migrate", database).split(FlywaylessApplication.MODE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate", "none"})
    void anApplicationThatMakesNoTablesRunsWithoutFlyway(String mode) {
        assertThat(outputIn(mode)).contains("ran: no Flyway").doesNotContain("NoClassDefFoundError");
    }

    @Test
    void anApplicationThatIsToMakeThemSaysWhatIsMissing() {
        assertThat(outputIn("migrate"))
                .contains(
                        "APPLICATION FAILED TO START", "no org.flywaydb:flyway-core on the class path", "mode=validate")
                .doesNotContain("ran: ");
    }

    private String outputIn(String mode) {
        return output.stream().filter(part -> part.startsWith(mode)).findFirst().orElseThrow();
    }

    private static String run(String modes, TestDatabase database) throws IOException, InterruptedException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("flyway") && !entry.contains("liquibase"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        FlywaylessApplication.class.getName(),
                        modes,
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
