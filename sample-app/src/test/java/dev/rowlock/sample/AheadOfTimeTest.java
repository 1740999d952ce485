package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Processes the sample ahead of time, as a native image is built, and starts it with no more of Rowlock's and its own files than the hints name. What is
 * read and has no hint is missing here as it would be there.
 */
@Tag("long")
class AheadOfTimeTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String METADATA = "META-INF/native-image/dev.rowlock/sample/reachability-metadata.json";

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void theSampleDoesItsWorkWithNoOtherFilesThanItsHintsName() throws Exception {
        Path classes = processed();
        List<String> classPath = new ArrayList<>(List.of(classes.toString()));
        List<PathMatcher> hinted = hinted(classes);
        for (String entry : SampleProcess.classPath().split(File.pathSeparator)) {
            classPath.add(reduced(Path.of(entry), hinted, "entry-" + classPath.size()));
        }

        SampleProcess process = SampleProcess.start(
                folder,
                "processed",
                FreePorts.next(),
                FreePorts.next(),
                String.join(File.pathSeparator, classPath),
                "-Dspring.aot.enabled=true");
        try {
            Shop shop = process.awaitUp().shop();
            long id = shop.importSampleCatalog();
            shop.awaitEnd(id, PATIENCE);

            assertThat(shop.progress(id)).isEqualTo(Shop.Progress.OF_THE_SAMPLE_CATALOG);
            assertThat(shop.text("/rowlock/")).contains("<title>Rowlock</title>");
            assertThat(shop.text("/rowlock/js/main.js")).contains("import");
            assertThat(shop.text("/actuator/rowlock")).contains("verdict");
            assertThat(shop.text("/actuator/rowlockdoctor")).contains("finding");
        } finally {
            process.stop();
        }
    }

    /** What archives of classes and AOT caches are made by, where images are built. */
    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void aTrainingRunNeedsNoDatabase() throws Exception {
        run(
                "training",
                "-Dspring.context.exit=onRefresh",
                "-cp",
                SampleProcess.classPath(),
                SampleApplication.class.getName(),
                "--server.port=0",
                "--spring.datasource.url=jdbc:postgresql://localhost:1/nowhere",
                "--spring.flyway.enabled=false",
                "--rowlock.schema.mode=none");
    }

    /** Returns the folder with the generated classes and their hints. */
    private Path processed() throws IOException, InterruptedException {
        Path sources = folder.resolve("sources");
        Path classes = folder.resolve("classes");
        run(
                "processing",
                "-cp",
                SampleProcess.classPath(),
                SpringApplicationAotProcessor.class.getName(),
                SampleApplication.class.getName(),
                sources.toString(),
                classes.toString(),
                classes.toString(),
                "dev.rowlock",
                "sample");

        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-proc:none",
                "-d",
                classes.toString(),
                "-cp",
                SampleProcess.classPath() + File.pathSeparator + classes));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return classes;
    }

    /** A Java process of its own, which must end well. */
    private void run(String name, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve(name + ".log");
        List<String> command = new ArrayList<>(List.of(SampleProcess.java()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as(() -> text(log)).isZero();
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<PathMatcher> hinted(Path classes) throws IOException {
        JsonNode hints = JsonMapper.shared().readTree(Files.readString(classes.resolve(METADATA)));
        return hints.get("resources")
                .valueStream()
                .map(hint -> FileSystems.getDefault()
                        .getPathMatcher("glob:" + hint.get("glob").asString()))
                .toList();
    }

    /** The entry of the class path; if it is Rowlock's or the sample's, a copy with its classes and the files that hints name. */
    private String reduced(Path entry, List<PathMatcher> hinted, String name) throws IOException {
        if (Files.isDirectory(entry)) {
            return Files.exists(entry.resolve("dev/rowlock")) ? copy(entry, hinted, name) : entry.toString();
        }
        try (FileSystem jar = FileSystems.newFileSystem(entry)) {
            Path root = jar.getPath("/");
            return Files.exists(root.resolve("dev/rowlock")) ? copy(root, hinted, name) : entry.toString();
        }
    }

    private String copy(Path root, List<PathMatcher> hinted, String name) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path relative = Path.of(root.relativize(file).toString());
                if (relative.toString().endsWith(".class")
                        || hinted.stream().anyMatch(hint -> hint.matches(relative))) {
                    Files.createDirectories(copy.resolve(relative).getParent());
                    Files.copy(file, copy.resolve(relative));
                }
            }
        }
        return copy.toString();
    }
}
