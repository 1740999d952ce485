package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import dev.rowlock.queue.schema.SchemaScript;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes into a native image what is only found at run time: the files of the schema, and sockets that the driver makes by name. */
final class RowlockRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(SchemaScript.FOLDER + "/**");
        hints.reflection().registerType(InstantPeekSocketFactory.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
    }
}
