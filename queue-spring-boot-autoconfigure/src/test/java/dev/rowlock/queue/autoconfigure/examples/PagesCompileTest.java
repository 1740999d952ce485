package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
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
                    "org.springframework.transaction.annotation",
                    "tools.jackson.databind.node")
            .map("import %s.*;"::formatted)
            .collect(Collectors.joining("\n"));

    private static final JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());

    /** One for all: it knows the class path by then, which takes longer to read than an example to compile. */
    private static final StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);

    @TempDir
    static Path classes;

    @AfterAll
    static void close() throws IOException {
        files.close();
    }

    /** @param number counts from 1 within the page */
    record Example(Path page, int number, String text) {

        @Override
        public String toString() {
            return "%s, %d".formatted(page.getFileName(), number);
        }
    }

    static Stream<Example> examples() throws IOException {
        // Those of dashboard.md are part of a test of their own module, which this one does not know.
        Stream<Path> docs = Files.list(TOP.resolve("docs"))
                .filter(page -> page.toString().endsWith(".md") && !page.endsWith("dashboard.md"));
        return Stream.concat(Stream.of(TOP.resolve("README.md")), docs.sorted()).flatMap(PagesCompileTest::examplesOf);
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
    void anExampleCompiles(Example example) throws IOException {
        boolean ofReadme = example.page().endsWith("README.md");
        String imports = IMPORT.matcher(example.text())
                        .results()
                        .map(match -> match.group())
                        .collect(Collectors.joining("\n"))
                + (ofReadme ? "" : ALL_IMPORTS);
        String rest = IMPORT.matcher(example.text()).replaceAll("");

        String asMembers = compile(imports, rest);
        String asStatements =
                asMembers.isEmpty() ? "" : compile(imports, "void run() throws Exception {\n" + rest + "\n}");

        assertThat(asStatements.isEmpty())
                .as("as members: %s%nas statements: %s", asMembers, asStatements)
                .isTrue();
    }

    /** Returns the errors; empty: none. */
    private String compile(String imports, String members) throws IOException {
        String source = imports + "\n" + surroundings().replace("// the example", members);
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        compiler.getTask(
                        null,
                        files,
                        found,
                        List.of("-proc:none", "-d", classes.toString()),
                        null,
                        List.of(
                                new SimpleJavaFileObject(
                                        URI.create("string:///Surroundings.java"), JavaFileObject.Kind.SOURCE) {
                                    @Override
                                    public CharSequence getCharContent(boolean ignored) {
                                        return source;
                                    }
                                }))
                .call();
        return found.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(problem -> problem.getMessage(Locale.ROOT))
                .collect(Collectors.joining("; "));
    }

    private static String surroundings() throws IOException {
        try (InputStream text =
                Objects.requireNonNull(PagesCompileTest.class.getResourceAsStream("Surroundings.txt"))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
