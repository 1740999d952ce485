package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.rowlock.queue.JobType;
import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import dev.rowlock.queue.schema.SchemaScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** What a native image must be told of. */
class RowlockRuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    @Test
    void aNativeImageHasAllFilesOfTheSchema() throws IOException {
        new RowlockRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(filesOfTheSchema())
                .contains("objects.txt", "roles/grants.sql", "roles/functions.sql")
                .anyMatch(file -> file.matches("v1/.*[.]sql"))
                .allSatisfy(file -> assertThat(resource().forResource(SchemaScript.FOLDER + "/" + file))
                        .accepts(hints));
    }

    /** Of the jar, or folder, that has the scripts. */
    private static List<String> filesOfTheSchema() throws IOException {
        String root = SchemaScript.class
                .getResource("/" + SchemaScript.FOLDER + "/objects.txt")
                .toString();
        String folder = root.substring(0, root.lastIndexOf('/') + 1);
        return Stream.of(new PathMatchingResourcePatternResolver().getResources(folder + "**/*.*"))
                .map(file -> url(file).toString().substring(folder.length()))
                .filter(file -> !file.endsWith(".class"))
                .toList();
    }

    private static URL url(Resource file) {
        try {
            return file.getURL();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNativeImageCanMakeTheSocketsOfTheDriver() {
        new RowlockRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(reflection().onType(InstantPeekSocketFactory.class)).accepts(hints);
    }

    @JobType("only-enqueued")
    record OnlyEnqueued(Part part) {}

    record Part(String name) {}

    /** An application that only enqueues has no listener that says which classes are payloads. */
    @Test
    void aNativeImageCanWritePayloadsThatNoListenerTakes() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        AutoConfigurationPackages.register(beans, getClass().getPackageName());

        assertThat(new DeclaredPayloadHints().processAheadOfTime(beans)).isNotNull();
        DeclaredPayloadHints.register(hints, DeclaredPayloadHints.payloads(beans));

        assertThat(reflection().onType(OnlyEnqueued.class)).accepts(hints);
        assertThat(reflection().onType(Part.class)).accepts(hints);
    }

    @Test
    void anApplicationWithoutPackagesContributesNothing() {
        assertThat(new DeclaredPayloadHints().processAheadOfTime(new DefaultListableBeanFactory()))
                .isNull();
    }

    @Test
    void springFindsTheProcessor() {
        assertThat(AotServices.factories().load(BeanFactoryInitializationAotProcessor.class))
                .hasAtLeastOneElementOfType(DeclaredPayloadHints.class);
    }
}
