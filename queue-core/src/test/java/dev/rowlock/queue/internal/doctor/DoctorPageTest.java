package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/doctor.md and what a process that runs jobs examines. */
@PostgresTest(freshPerTest = true, migrated = true)
class DoctorPageTest {

    @Test
    void thePageListsEachCheck(TestDatabase database) throws IOException {
        try (Rowlock rowlock = Rowlock.builder(database.superuser())
                .unpooled(database.superuser())
                .build()) {
            List<Finding> findings = rowlock.doctor().examine();

            assertThat(findings).extracting(Finding::status).containsOnly(Status.OK);
            assertThat(listed())
                    .containsExactlyElementsOf(
                            findings.stream().map(Finding::code).toList());
        }
    }

    private static List<String> listed() throws IOException {
        return Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (?:OK|INFO|WARN|FAIL)")
                .matcher(Files.readString(Path.of("../docs/doctor.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
