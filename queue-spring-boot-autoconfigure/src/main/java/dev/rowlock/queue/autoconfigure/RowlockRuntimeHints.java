package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.schema.SchemaScript;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the migration scripts into a native image. */
final class RowlockRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(SchemaScript.FOLDER + "/*.sql");
    }
}
