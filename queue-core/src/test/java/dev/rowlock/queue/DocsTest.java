package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages name only classes, files and headings that exist. */
class DocsTest {

    private static final Path TOP = Path.of("..");
    private static final Path DESIGN = TOP.resolve("docs/design.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    @Test
    void everyPlaceThatTheDesignNamesExists() throws IOException {
        Set<String> classes = classes("/src/main/java/");

        assertThat(places()).hasSizeGreaterThan(60).allSatisfy(place -> {
            if (place.contains("/")) {
                assertThat(TOP.resolve(place)).exists();
            } else {
                assertThat(classes).anyMatch(name -> name.endsWith("." + place));
            }
        });
    }

    @Test
    void everyAnswerOfTheDesignNamesTestsThatExist() throws IOException {
        Set<String> tests = classes("/src/test/java/");

        assertThat(rows())
                .allSatisfy(row -> assertThat(column(row, 3))
                        .isNotEmpty()
                        .allSatisfy(test -> assertThat(tests).anyMatch(name -> name.endsWith("." + test))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "claim", "timeout", "back-off", "due time", "dispatch", "wake-up sent", "wake-up heard", "outcome",
                        "zombie",
                "lease", "death", "rescue", "shutdown", "meters", "depth", "retention", "schema", "dead jobs"
            })
    void theDesignSaysWhereToLookFor(String what) throws IOException {
        assertThat(rows()).anySatisfy(row -> {
            String question = row.split("\\|")[1].toLowerCase(Locale.ROOT);
            assertThat(question.split("\\W+")).contains(what.split("\\W+"));
        });
    }

    @Test
    void everyLinkOfAPageLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                links++;
                if (!leadsSomewhere(page, link.group(1))) {
                    broken.add(page + ": " + link.group(1));
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(30);
    }

    /** Of pages about one feature; layout does not count. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/chunks.md",
                "docs/dashboard.md",
                "docs/gates.md",
                "docs/long-jobs.md",
                "docs/operating.md",
                "docs/recurring.md",
                "docs/results.md",
                "docs/search.md",
                "docs/testing.md",
                "docs/traces.md",
                "docs/tutorial.md",
                "docs/unique.md",
                "docs/workflows.md"
            })
    void everyExampleIsPartOfATest(String page) throws IOException {
        List<String> examples = JAVA.matcher(Files.readString(TOP.resolve(page)))
                .results()
                .map(match -> match.group(1).replaceAll("\\s", ""))
                .toList();
        String tests = examplesInTests();

        assertThat(examples)
                .hasSizeGreaterThan(2)
                .allSatisfy(example -> assertThat(tests).contains(example));
    }

    /** It needs the test kit, which those that compile the others do not have. */
    @Test
    void theTestOfReadmeIsATest() throws IOException {
        List<String> tests = JAVA.matcher(Files.readString(TOP.resolve("README.md")))
                .results()
                .map(match -> match.group(1))
                .filter(example -> example.contains("dev.rowlock.queue.test"))
                .map(example -> example.replaceAll("\\s", ""))
                .toList();

        assertThat(tests).hasSize(1);
        assertThat(examplesInTests()).contains(tests.get(0));
    }

    private static String examplesInTests() throws IOException {
        try (Stream<Path> files = Files.walk(TOP)) {
            StringBuilder all = new StringBuilder();
            for (Path file : files.filter(
                            path -> path.toString().matches(".*/src/test/java/.*/(examples|tutorial)/\\w+\\.java"))
                    .toList()) {
                all.append(Files.readString(file).replaceAll("\\s", ""));
            }
            return all.toString();
        }
    }

    private static boolean leadsSomewhere(Path page, String link) throws IOException {
        if (link.contains("://")) {
            return true;
        }
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    /** Headings as GitHub names them in links. */
    private static Set<String> anchors(Path page) throws IOException {
        try (Stream<String> lines = Files.lines(page)) {
            return lines.filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                    .map(title -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                    .collect(Collectors.toSet());
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(TOP);
                Stream<Path> docs = Files.walk(TOP.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .toList();
        }
    }

    /** What stands between backquotes in the second column of the design's table of places. */
    private static List<String> places() throws IOException {
        return rows().stream().flatMap(row -> column(row, 2).stream()).toList();
    }

    /** What stands between backquotes there. */
    private static List<String> column(String row, int number) {
        return CODE.matcher(row.split("\\|")[number])
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static List<String> rows() throws IOException {
        String page = Files.readString(DESIGN);
        return page.substring(page.indexOf("Finding your way in the code"))
                .lines()
                .filter(line -> line.startsWith("| ") && line.contains("?"))
                .toList();
    }

    /** @param sources a folder of each module */
    private static Set<String> classes(String sources) throws IOException {
        try (Stream<Path> files = Files.walk(TOP)) {
            return files.map(Path::toString)
                    .filter(file -> file.contains(sources) && file.endsWith(".java"))
                    .map(file -> file.replaceFirst(".*" + sources, "").replaceFirst("\\.java$", ""))
                    .map(file -> file.replace('/', '.'))
                    .collect(Collectors.toSet());
        }
    }
}
