package dev.rowlock.queue.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the command against a real database, but for the end of the process. */
@PostgresTest(superuser = true, migrated = true)
class DoctorMainTest {

    private static final String WRONG_PASSWORD = "wrong-and-secret";

    private final TestDatabase test;
    private final Rooms rooms;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    DoctorMainTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
    }

    private int run(String... arguments) {
        return run(Map.of("PGUSER", test.username(), "PGPASSWORD", test.password()), arguments);
    }

    private int run(Map<String, String> environment, String... arguments) {
        out.reset();
        err.reset();
        return new DoctorMain(
                        environment,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(List.of(arguments));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aHealthyDatabaseEndsItWithZeroAndALineForEachCheck() {
        assertThat(run("--url", test.jdbcUrl())).isZero();

        assertThat(out().lines().findFirst()).hasValue("verdict: HEALTHY");
        assertThat(out().lines().skip(1)).hasSizeGreaterThan(15).allMatch(line -> line.startsWith("OK "));
        assertThat(err()).isEmpty();
    }

    @Test
    void aWarningEndsItWithOneAndAFailureWithTwo() {
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'mail', now() - interval '2 days', 'ann')");
        assertThat(run("--url", test.jdbcUrl(), "--user", test.username())).isEqualTo(1);
        assertThat(out())
                .contains("WARN    old-pause", "        seen: {kind=queue, name=mail", "        remedy: Resume it");

        rooms.execute("ALTER TABLE rowlock.ready SET (autovacuum_enabled = off)");
        try {
            assertThat(run("--url", test.jdbcUrl())).isEqualTo(2);
            assertThat(out()).contains("FAIL    autovacuum-off", "        SQL: ALTER TABLE");
        } finally {
            rooms.execute("ALTER TABLE rowlock.ready RESET (autovacuum_enabled)");
        }
    }

    @Test
    void aQueueThatIsStuckIsNamedBeforeAllFindings() {
        rooms.ready();

        assertThat(run("--url", test.jdbcUrl())).isZero(); // it has just come
        assertThat(out()).startsWith("""
                        verdict: STUCK
                                STUCK: No node lives, and jobs are ready. Start an application with listeners.
                        """);
    }

    @Test
    void programsReadJson() {
        assertThat(run("--url", test.jdbcUrl(), "--json")).isZero();

        JsonNode all = JsonMapper.shared().readTree(out());
        assertThat(all.at("/verdict/status").asString()).isEqualTo("HEALTHY");
        JsonNode findings = all.get("findings");
        assertThat(findings).hasSizeGreaterThan(15).allSatisfy(finding -> {
            assertThat(finding.get("status").asString()).isEqualTo("OK");
            assertThat(finding.get("code").asString()).isNotEmpty();
            assertThat(finding.at("/evidence/rows").isArray()).isTrue();
        });
    }

    @Test
    void aDatabaseWithoutTheTablesCannotBeExamined() {
        assertThat(run("--url", test.jdbcUrl(), "--schema", "elsewhere")).isEqualTo(3);

        assertThat(err()).contains("there are no tables of Rowlock in schema 'elsewhere'");
        assertThat(out()).isEmpty();
    }

    @Test
    void aServerThatDoesNotAnswerOrRefusesCannotBeExamined() {
        assertThat(run("--url", "jdbc:postgresql://127.0.0.1:1/nowhere")).isEqualTo(3);
        assertThat(err()).contains("127.0.0.1:1 refused");

        assertThat(run(Map.of(), "--url", test.jdbcUrl(), "--user", "nobody_of_that_name"))
                .isEqualTo(3);
        assertThat(err()).contains("nobody_of_that_name");
    }

    @Test
    void argumentsThatAskForNothingAreRefusedWithoutRepeatingThem() {
        assertThat(run("--password", WRONG_PASSWORD)).isEqualTo(3);
        assertThat(err()).contains("there is no such option; usage:").doesNotContain(WRONG_PASSWORD);
        assertThat(run("--url")).isEqualTo(3);
        assertThat(err()).startsWith("--url needs a value");
        assertThat(run("--url", "jdbc:mysql://localhost/" + WRONG_PASSWORD)).isEqualTo(3);
        assertThat(err()).contains("must name a database of PostgreSQL").doesNotContain(WRONG_PASSWORD);
        assertThat(run("--help")).isZero();
        assertThat(out()).startsWith("usage:");
    }

    @Test
    void aCheckThatCrashedIsWorseThanNothingAndBetterThanAFinding() {
        assertThat(DoctorMain.exit(List.of(finding(Status.INFO), finding(Status.SKIPPED))))
                .isZero();
        assertThat(DoctorMain.exit(List.of(finding(Status.OK), finding(Status.CRASHED))))
                .isEqualTo(3);
        assertThat(DoctorMain.exit(List.of(finding(Status.WARN), finding(Status.CRASHED))))
                .isEqualTo(1);
        assertThat(DoctorMain.exit(List.of(finding(Status.FAIL), finding(Status.WARN))))
                .isEqualTo(2);
    }

    private static Finding finding(Status status) {
        return new Finding("code", status, "cause", new Finding.Evidence("", List.of()), null);
    }
}
