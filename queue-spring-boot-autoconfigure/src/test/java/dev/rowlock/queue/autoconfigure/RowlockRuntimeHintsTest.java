package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.rowlock.queue.schema.SchemaScript;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;

class RowlockRuntimeHintsTest {

    @Test
    void aNativeImageHasTheMigrationScripts() {
        RuntimeHints hints = new RuntimeHints();

        new RowlockRuntimeHints().registerHints(hints, getClass().getClassLoader());

        assertThat(resource().forResource(SchemaScript.FOLDER + "/v1/rooms.sql"))
                .accepts(hints);
    }
}
