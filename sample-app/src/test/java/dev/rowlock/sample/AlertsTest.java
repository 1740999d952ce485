package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each alert says how bad it is, and leads to its page. promtool tests when alerts fire. */
class AlertsTest {

    private static final Path RUNBOOKS = OperationsFiles.TOP.resolve("docs/runbooks");

    private final List<String> alerts = Arrays.stream(
                    OperationsFiles.text(OperationsFiles.RULES).split("- alert: "))
            .skip(1)
            .toList();

    @Test
    void everyAlertHasSeveritySummaryDescriptionAndItsOwnRunbook() {
        assertThat(alerts).hasSizeGreaterThan(5).allSatisfy(alert -> {
            assertThat(alert).containsPattern("severity: (critical|warning)\n");
            assertThat(alert).contains("summary: ", "description: ");
            assertThat(alert).contains("/runbooks/" + name(alert) + ".md'");
        });
    }

    @Test
    void everyAlertHasAPageWithMeaningImpactDiagnosisAndMitigation() {
        assertThat(alerts)
                .allSatisfy(alert -> assertThat(OperationsFiles.text(RUNBOOKS.resolve(name(alert) + ".md")))
                        .contains("# " + name(alert), "**Meaning:**", "**Impact:**", "## Diagnosis", "## Mitigation"));
    }

    @Test
    void everyPageBelongsToAnAlertAndIsInTheTable() throws IOException {
        List<String> names = alerts.stream().map(AlertsTest::name).toList();
        String table = OperationsFiles.text(OperationsFiles.TOP.resolve("docs/monitoring.md"));

        try (Stream<Path> pages = Files.list(RUNBOOKS)) {
            assertThat(pages.map(page -> page.getFileName().toString().replace(".md", "")))
                    .containsExactlyInAnyOrderElementsOf(names)
                    .allSatisfy(name -> assertThat(table).contains("(runbooks/" + name + ".md)"));
        }
    }

    private static String name(String alert) {
        return alert.substring(0, alert.indexOf('\n'));
    }
}
