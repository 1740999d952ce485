package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Runs the sample as its users do, on its own PostgreSQL, and kills each process that can be killed. */
@Tag("long")
class KilledProcessesTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private final List<SampleProcess> started = new ArrayList<>();
    private final int postgresPort = FreePorts.next();

    @AfterEach
    void killWhatIsLeft() throws InterruptedException, IOException {
        for (SampleProcess process : started) {
            process.kill();
        }
        if (Files.exists(pidFile())) {
            kill(postmaster());
        }
    }

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void anImportThatIsKilledAgainAndAgainDoesEveryProductOnce() throws Exception {
        SampleProcess one = start("one");
        SampleProcess two = start("two");
        one.awaitUp();
        two.awaitUp();

        long id = one.shop().importSampleCatalog();
        await().atMost(PATIENCE)
                .until(() -> one.shop().progress(id).resized() > 150
                        && one.shop().nodes(id).keySet().equals(Set.of("one", "two")));
        two.kill();

        long then = one.shop().progress(id).resized();
        await().atMost(PATIENCE).until(() -> one.shop().progress(id).resized() > then + 150);
        one.kill();
        kill(postmaster());

        SampleProcess three = start("three").awaitUp();
        three.shop().awaitEnd(id, PATIENCE);

        assertThat(three.shop().progress(id)).isEqualTo(Shop.Progress.OF_THE_SAMPLE_CATALOG);
        assertThat(three.shop().nodes(id)).containsOnlyKeys("one", "two", "three");
        await().atMost(PATIENCE).until(() -> three.shop().notifications().size() == 1);
        Books books = new Books(database());
        assertThat(books.number("SELECT sum(crashes) FROM rowlock.job"))
                .as("jobs whose process was killed")
                .isPositive();
        books.requireEveryProductOnce(id, 964);
        books.requireConservation(
                Map.of("import-catalog", 1L, "stock-product", 976L, "finish-import", 1L, "send-notification", 1L));

        three.stop();
        assertThat(pidFile()).as("the last one stops the server").doesNotExist();
    }

    private SampleProcess start(String name) {
        SampleProcess process = SampleProcess.start(folder, name, FreePorts.next(), postgresPort);
        started.add(process);
        return process;
    }

    private JdbcClient database() throws IOException {
        String password = Files.readString(folder.resolve("data/password"));
        return JdbcClient.create(new DriverManagerDataSource(
                "jdbc:postgresql://localhost:%d/postgres".formatted(postgresPort), "sample", password));
    }

    private ProcessHandle postmaster() throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile()).get(0)))
                .orElseThrow();
    }

    private Path pidFile() {
        return folder.resolve("data/data/postmaster.pid");
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
    }
}
