package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each Java example of README and the pages compiles. What an example takes for granted, such as a repository of the reader's, is in
 * {@code Surroundings.txt}. Those of README bring their imports along, as a reader copies them; the others need not.
 */
class PagesCompileTest {

    private static final Path TOP = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;$");

    private static final String ALL_IMPORTS = Stream.of(
                    "java.net.http",
                    "java.time",
                    "java.util",
                    "java.util.concurrent",
                    "java.util.regex",
                    "javax.sql",
                    "dev.rowlock.queue",
                    "dev.rowlock.queue.chunk",
                    "dev.rowlock.queue.gate",
                    "dev.rowlock.queue.workflow",
                    "dev.rowlock.queue.job",
                    "dev.rowlock.queue.operate",
                    "dev.rowlock.queue.payload",
                    "dev.rowlock.queue.result",
                    "dev.rowlock.queue.schedule",
                    "dev.rowlock.queue.search",
                    "dev.rowlock.queue.spi",
                    "dev.rowlock.queue.spring",
                    "dev.rowlock.queue.trace",
                    "io.micrometer.common",
                    "io.micrometer.observation",
                    "org.jspecify.annotations",
                    "org.springframework.context.annotation",
                    "org.springframework.jdbc.core.simple",
                    "org.springframework.jdbc.support",
                    "org.springframework.transaction",
                    "org.springframework.transaction.annotation",
                    "tools.jackson.databind.node")
            .map("import %s.*;"::formatted)
            .collect(Collectors.joining("\n"));

    private static final JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());

    /** What the compiler has against each example, as members of a class and as statements; where it has nothing, nothing else is tried. */
    private static final Map<Example, List<String>> ERRORS = new HashMap<>();

    /** All examples at once: to read the class path takes longer than to compile an example. */
    @BeforeAll
    static void compile() throws IOException {
        List<Example> examples = examples().toList();
        Map<Example, String> asMembers = compile(examples, members -> members);
        List<Example> rest = examples.stream()
                .filter(example -> !asMembers.get(example).isEmpty())
                .toList();
        Map<Example, String> asStatements =
                compile(rest, statements -> "void run() throws Exception {\n" + statements + "\n}");
        examples.forEach(example -> ERRORS.put(
                example,
                Stream.of(asMembers.get(example), asStatements.getOrDefault(example, ""))
                        .toList()));
    }

    /** @param number counts from 1 within the page */
    record Example(Path page, int number, String text) {

        @Override
        public String toString() {
            return "%s, %d".formatted(page.getFileName(), number);
        }
    }

    static Stream<Example> examples() throws IOException {
        // Those of the dashboard and of the test kit are part of tests of their own modules, which this one does not
        // know.
        Stream<Path> docs = Files.list(TOP.resolve("docs"))
                .filter(page -> page.toString().endsWith(".md")
                        && !page.endsWith("dashboard.md")
                        && !page.endsWith("testing.md"));
        return Stream.concat(Stream.of(TOP.resolve("README.md")), docs.sorted())
                .flatMap(PagesCompileTest::examplesOf)
                .filter(example -> !example.text().contains("dev.rowlock.queue.test.")
                        && !example.text().contains("dev.rowlock.queue.dashboard."));
    }

    private static Stream<Example> examplesOf(Path page) {
        try {
            List<String> texts = BLOCK.matcher(Files.readString(page))
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            return IntStream.range(0, texts.size()).mapToObj(i -> new Example(page, i + 1, texts.get(i)));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleCompiles(Example example) {
        List<String> errors = Objects.requireNonNull(ERRORS.get(example));

        assertThat(errors)
                .as("as members: %s%nas statements: %s", errors.get(0), errors.get(1))
                .contains("");
    }

    /** Returns the errors of each; empty: none. */
    private static Map<Example, String> compile(List<Example> examples, UnaryOperator<String> within)
            throws IOException {
        Map<Example, Source> sources = new HashMap<>();
        for (Example example : examples) {
            sources.put(example, source(example, sources.size(), within));
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            // An example in error must not keep the compiler from looking at the others; and nobody runs them.
            List<String> options = List.of(
                    "-proc:none", "--should-stop=ifError=FLOW", "--should-stop=ifNoError=FLOW", "-Xmaxerrs", "10000");
            compiler.getTask(null, files, found, options, null, sources.values())
                    .call();
        }
        Map<Example, String> errors = new HashMap<>();
        sources.forEach((example, source) -> errors.put(
                example,
                found.getDiagnostics().stream()
                        .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                        .filter(problem -> problem.getSource() == null
                                || problem.getSource().toUri().equals(source.toUri()))
                        .map(problem -> problem.getMessage(Locale.ROOT))
                        .collect(Collectors.joining("; "))));
        return errors;
    }

    /** In a package of its own. */
    private static Source source(Example example, int number, UnaryOperator<String> within) throws IOException {
        String imports = IMPORT.matcher(example.text())
                        .results()
                        .map(match -> match.group())
                        .collect(Collectors.joining("\n"))
                + (example.page().endsWith("README.md") ? "" : ALL_IMPORTS);
        String rest = IMPORT.matcher(example.text()).replaceAll("");
        return new Source(
                number,
                "package example%d;\n".formatted(number)
                        + imports
                        + "\n"
                        + surroundings().replace("// the example", within.apply(rest)));
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(int number, String text) {
            super(URI.create("string:///example%d/Surroundings.java".formatted(number)), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public String getCharContent(boolean ignored) {
            return text;
        }
    }

    private static String surroundings() throws IOException {
        try (InputStream text =
                Objects.requireNonNull(PagesCompileTest.class.getResourceAsStream("Surroundings.txt"))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
