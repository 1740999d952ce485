package dev.rowlock.queue.test.postgres;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Settings of PostgreSQL that suit tests: quick rather than safe, and roomy. */
final class ServerSettings {

    private static final Map<String, String> DEFAULTS = Map.of(
            // Nobody pulls the plug of a test machine, and a killed server loses nothing that was committed: the
            // operating system still has it.
            "fsync", "off",
            "max_connections", "200");

    private ServerSettings() {}

    /** The defaults and what was drawn, with some of them replaced and others added. */
    static Map<String, String> with(DrawnServer drawn, Map<String, String> changes) {
        Map<String, String> settings = new TreeMap<>(DEFAULTS);
        settings.putAll(drawn.settings());
        settings.putAll(changes);
        return settings;
    }

    /** As lines of {@code postgresql.conf}. */
    static List<String> asLines(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> "%s = '%s'"
                        .formatted(setting.getKey(), setting.getValue().replace("'", "''")))
                .toList();
    }

    /** As a container's command. */
    static String[] asCommand(Map<String, String> settings) {
        return Stream.concat(
                        Stream.of("postgres"),
                        settings.entrySet().stream()
                                .flatMap(setting -> Stream.of("-c", setting.getKey() + "=" + setting.getValue())))
                .toArray(String[]::new);
    }
}
