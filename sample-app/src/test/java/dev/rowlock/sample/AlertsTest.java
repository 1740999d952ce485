package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /** Otherwise a rule that compares two meters is tested with series that nobody has, and never fires. */
    @Test
    void whatRulesAreTestedWithHasTheTagsThatTheMetersHave() {
        Map<String, Set<String>> tags = Pattern.compile(
                        "(?m)^\\| `rowlock[.a-z]+` \\| `(rowlock_[a-z_]+)`[^|]*\\| ([a-z_, ]*)\\|")
                .matcher(OperationsFiles.text(OperationsFiles.TOP.resolve("docs/meters.md")))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> words(row.group(2))));

        List<MatchResult> series = Pattern.compile(
                        "series: '?(rowlock_[a-z_]+?)(?:_count|_sum|_max|_bucket)?(?:\\{(.*)})?'?\\n")
                .matcher(OperationsFiles.text(OperationsFiles.RULES.resolveSibling("rowlock-rules-test.yml")))
                .results()
                .toList();

        assertThat(series).hasSizeGreaterThan(20);
        for (MatchResult one : series) {
            Set<String> labels = words(String.valueOf(one.group(2)).replaceAll("=\"[^\"]*\"", ""));
            labels.removeAll(Set.of("instance", "job", "null", "le"));
            assertThat(labels).as(one.group(1)).isEqualTo(tags.get(one.group(1)));
        }
    }

    private static Set<String> words(String list) {
        return Stream.of(list.split("[, ]+"))
                .filter(word -> !word.isBlank())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(String alert) {
        return alert.substring(0, alert.indexOf('\n'));
    }
}
