package dev.rowlock.sample;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rules and dashboards that ship in {@code operations/}. */
final class OperationsFiles {

    static final Path TOP = Path.of("..");
    static final Path RULES = TOP.resolve("operations/prometheus/rowlock-rules.yml");

    // Not the external label of the rules, and not the ids of the dashboards, which have hyphens.
    private static final Pattern METER = Pattern.compile("\\browlock_(?!docs\\b)\\w+");

    private OperationsFiles() {}

    static List<Path> dashboards() {
        try (Stream<Path> files = Files.list(TOP.resolve("operations/grafana"))) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of meters, as Prometheus prints them, in rules and dashboards. */
    static Set<String> meters() {
        return Stream.concat(Stream.of(RULES), dashboards().stream())
                .flatMap(file -> METER.matcher(text(file)).results())
                .map(MatchResult::group)
                .collect(toCollection(TreeSet::new));
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
