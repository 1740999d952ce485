package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class SchemaScriptTest {

    @Test
    void everyFileInTheFoldersBelongsToAScript() throws Exception {
        Resource[] files = new PathMatchingResourcePatternResolver()
                .getResources("classpath*:" + SchemaScript.FOLDER + "/v*/*.sql");

        assertThat(SchemaScript.ALL.stream().flatMap(script -> script.files().stream()))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(files).map(SchemaScriptTest::withFolder).toList());
        assertThat(SchemaScript.ALL)
                .allSatisfy(script -> assertThat(script.files())
                        .allSatisfy(file -> assertThat(file).startsWith("v%d/".formatted(script.version()))))
                .extracting(SchemaScript::version)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, SchemaScript.newestVersion())
                        .boxed()
                        .toList());
    }

    private static String withFolder(Resource file) {
        try {
            String path = file.getURL().getPath();
            return path.substring(path.indexOf(SchemaScript.FOLDER) + SchemaScript.FOLDER.length() + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thePlainScriptHasNoPlaceholderLeft() {
        assertThat(SchemaScript.plainSql("jobs"))
                .contains("CREATE SCHEMA \"jobs\";")
                .contains("CREATE TABLE \"jobs\".ready (")
                .doesNotContain("${")
                .doesNotContain("rowlock.ready");
    }
}
