package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class SchemaScriptTest {

    @Test
    void everyScriptInTheFolderIsListedInOrder() throws Exception {
        Resource[] files =
                new PathMatchingResourcePatternResolver().getResources("classpath*:" + SchemaScript.FOLDER + "/*.sql");

        assertThat(SchemaScript.ALL)
                .extracting(SchemaScript::file)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(files).map(Resource::getFilename).toList());
        assertThat(SchemaScript.ALL)
                .allSatisfy(script -> assertThat(script.file())
                        .isEqualTo("V%d__%s.sql"
                                .formatted(
                                        script.version(), script.description().replace(' ', '_'))))
                .isSortedAccordingTo((a, b) -> Integer.compare(a.version(), b.version()));
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
