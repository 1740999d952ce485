package dev.rowlock.queue.schema;

import java.io.Reader;
import java.io.StringReader;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * Hands Flyway our scripts by name. It would otherwise search the classpath, which takes longer than the migration,
 * finds nothing in a native image, and would pick up files that others put into our folder.
 */
final class BundledScripts implements ResourceProvider {

    private final List<LoadableResource> scripts;

    BundledScripts(List<SchemaScript> scripts) {
        this.scripts = scripts.stream().<LoadableResource>map(Script::new).toList();
    }

    @Override
    public @Nullable LoadableResource getResource(String name) {
        return scripts.stream()
                .filter(script -> script.getRelativePath().equals(name))
                .findAny()
                .orElse(null);
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return scripts.stream()
                .filter(script -> script.getFilename().startsWith(prefix))
                .filter(script -> Arrays.stream(suffixes).anyMatch(script.getFilename()::endsWith))
                .toList();
    }

    private static final class Script extends LoadableResource {

        private final SchemaScript script;

        Script(SchemaScript script) {
            this.script = script;
        }

        @Override
        public Reader read() {
            return new StringReader(script.text());
        }

        @Override
        public String getAbsolutePath() {
            return SchemaScript.FOLDER + '/' + script.name();
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return getAbsolutePath();
        }

        @Override
        public String getFilename() {
            return script.name();
        }

        @Override
        public String getRelativePath() {
            return script.name();
        }
    }
}
