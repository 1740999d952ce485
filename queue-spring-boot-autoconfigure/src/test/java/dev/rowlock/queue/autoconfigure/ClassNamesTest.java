package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Boot moves classes between releases and silently ignores the name of a class that is gone. */
class ClassNamesTest {

    private static final String IMPORTS = "META-INF/spring/%s.imports";

    private static final List<String> IMPORT_FILES = List.of(
            "org.springframework.boot.autoconfigure.AutoConfiguration",
            "org.springframework.boot.test.autoconfigure.jdbc.AutoConfigureDataSourceInitialization");

    @ParameterizedTest
    @MethodSource("names")
    void everyNameInOurFilesIsAClass(String name) {
        assertThatCode(() -> Class.forName(name, false, getClass().getClassLoader()))
                .doesNotThrowAnyException();
    }

    @Test
    void everyAutoConfigurationIsRegistered() throws IOException {
        MetadataReaderFactory classes = new CachingMetadataReaderFactory();
        TreeSet<String> written = new TreeSet<>();
        for (var file : new PathMatchingResourcePatternResolver()
                .getResources("classpath*:dev/rowlock/queue/autoconfigure/**/*AutoConfiguration.class")) {
            var metadata = classes.getMetadataReader(file).getAnnotationMetadata();
            if (metadata.hasAnnotation(AutoConfiguration.class.getName())) {
                written.add(metadata.getClassName());
            }
        }

        assertThat(lines(IMPORTS.formatted(IMPORT_FILES.get(0)))).containsExactlyInAnyOrderElementsOf(written);
    }

    /** Everything in the imports, the factories, and what the annotation processor collected from the conditions. */
    static Stream<String> names() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (String file : IMPORT_FILES) {
            names.add(file);
            names.addAll(lines(IMPORTS.formatted(file)));
        }
        for (String file : List.of("META-INF/spring.factories", "META-INF/spring-autoconfigure-metadata.properties")) {
            Properties properties = new Properties();
            try (InputStream ours = ours(file)) {
                properties.load(ours);
            }
            properties.values().stream()
                    .flatMap(value -> Arrays.stream(value.toString().split(",")))
                    .filter(value -> value.matches("[a-z]+(\\.\\w+)+(\\$\\w+)*"))
                    .forEach(names::add);
        }
        return names.stream();
    }

    private static List<String> lines(String file) throws IOException {
        try (InputStream ours = ours(file)) {
            return new String(ours.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        }
    }

    /** Of all files of that name on the classpath, the one of this module. */
    private static InputStream ours(String file) throws IOException {
        String root = RowlockAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        for (var url : java.util.Collections.list(
                RowlockAutoConfiguration.class.getClassLoader().getResources(file))) {
            if (url.toString().startsWith(root)) {
                return url.openStream();
            }
        }
        throw new IOException(file + " is missing");
    }
}
