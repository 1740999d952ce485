package dev.rowlock.queue.command;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Verdict;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.doctor.Examination;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The doctor from a shell, also out of the jar of a Spring Boot application:
 * <pre>
 * java -cp app.jar -Dloader.main=dev.rowlock.queue.command.DoctorMain \
 *     org.springframework.boot.loader.launch.PropertiesLauncher \
 *     --url jdbc:postgresql://localhost/shop [--schema rowlock] [--user shop] [--json]
 * </pre>
 *
 * <p>The environment may say the rest: {@code PGUSER}, {@code PGPASSWORD}; otherwise the driver reads {@code ~/.pgpass} or {@code PGPASSFILE}. The
 * process ends with 0 (nothing worse than INFO or SKIPPED), 1 (WARN), 2 (FAIL), or 3: it could not examine, or nothing is worse than a check that
 * has CRASHED. It only reads.
 */
public final class DoctorMain {

    static final int HEALTHY = 0;
    static final int WARNINGS = 1;
    static final int FAILURES = 2;
    static final int COULD_NOT_RUN = 3;

    private static final int CONNECT_SECONDS = 10;

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    DoctorMain(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = Map.copyOf(environment);
        this.out = out;
        this.err = err;
    }

    /** Examines, prints, and ends the process. */
    public static void main(String[] arguments) {
        System.exit(new DoctorMain(
                        System.getenv(),
                        new PrintStream(System.out, true, StandardCharsets.UTF_8),
                        new PrintStream(System.err, true, StandardCharsets.UTF_8))
                .run(List.of(arguments)));
    }

    /** Returns how the process is to end. */
    int run(List<String> arguments) {
        if (arguments.contains("--help")) {
            out.println(DoctorOptions.USAGE);
            return HEALTHY;
        }
        try {
            DoctorOptions options = DoctorOptions.parse(arguments);
            Doctor doctor = doctor(options);
            Verdict verdict = doctor.verdict();
            List<Finding> findings = doctor.examine();
            out.print(options.json() ? Report.json(verdict, findings) : Report.text(verdict, findings));
            return exit(findings);
        } catch (RuntimeException e) {
            // The database's own words: below them lies only that some call failed.
            err.println((e.getCause() instanceof Exception cause ? cause : e).getMessage());
            return COULD_NOT_RUN;
        }
    }

    private Doctor doctor(DoctorOptions options) {
        Database database = new Database(dataSource(options), new Schema(options.schema()));
        return Examination.ofTables(database)
                .orElseThrow(() -> new IllegalStateException(
                        "there are no tables of Rowlock in schema '%s', or this role may not see them: name another schema by --schema, or another database by --url"
                                .formatted(options.schema())));
    }

    private PGSimpleDataSource dataSource(DoctorOptions options) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setConnectTimeout(CONNECT_SECONDS);
        dataSource.setApplicationName("rowlock-doctor");
        dataSource.setURL(options.url());
        String user = options.user() != null ? options.user() : environment.get("PGUSER");
        if (user != null) {
            dataSource.setUser(user);
        }
        String password = environment.get("PGPASSWORD");
        if (password != null) {
            dataSource.setPassword(password);
        }
        return dataSource;
    }

    static int exit(List<Finding> findings) {
        if (has(findings, Finding.Status.FAIL)) {
            return FAILURES;
        } else if (has(findings, Finding.Status.WARN)) {
            return WARNINGS;
        }
        return has(findings, Finding.Status.CRASHED) ? COULD_NOT_RUN : HEALTHY;
    }

    private static boolean has(List<Finding> findings, Finding.Status status) {
        return findings.stream().anyMatch(finding -> finding.status() == status);
    }
}
