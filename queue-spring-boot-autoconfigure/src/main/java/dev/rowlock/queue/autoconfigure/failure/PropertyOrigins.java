package dev.rowlock.queue.autoconfigure.failure;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Where properties were set: the file and line, the variable, the argument. */
final class PropertyOrigins {

    /** What is below it, or nearly has its name, may be a key; and so may this, if the key stands where its id should. */
    private static final String ENCRYPTION = "rowlock.encrypt";

    private static final ConfigurationPropertyName CURRENT = ConfigurationPropertyName.of("rowlock.encryption.current");
    private static final int LONGEST_ID = 20;

    private final Environment environment;

    PropertyOrigins(Environment environment) {
        this.environment = environment;
    }

    /** A line for each property with one of these names or below it; empty if none of them is set. Values that may be secret stay out. */
    String below(List<String> prefixes) {
        return lines(prefixes, PropertyOrigins::line);
    }

    /** The same without values: of a name that nobody knows nobody knows whether its value is secret. */
    String namesBelow(List<String> prefixes) {
        return lines(prefixes, PropertyOrigins::place);
    }

    private String lines(
            List<String> prefixes, BiFunction<ConfigurationPropertyName, ConfigurationPropertySource, String> line) {
        List<ConfigurationPropertyName> parents = prefixes.stream()
                .map(prefix -> ConfigurationPropertyName.adapt(prefix, '.'))
                .toList();
        Map<String, String> lines = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name ->
                                parents.stream().anyMatch(parent -> name.equals(parent) || parent.isAncestorOf(name)))
                        .forEach(name -> lines.computeIfAbsent(name.toString(), key -> line.apply(name, iterable)));
            }
        }
        return lines.values().stream().collect(Collectors.joining("\n"));
    }

    private static String place(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        return property == null || property.getOrigin() == null
                ? "    " + name
                : "    %s (%s)".formatted(name, property.getOrigin());
    }

    private static String line(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        if (property == null) {
            return "    " + name;
        }
        String value = String.valueOf(property.getValue());
        return "    %s = %s (%s)"
                .formatted(
                        name,
                        secret(name, value) ? "******" : value,
                        property.getOrigin() == null ? "origin unknown" : property.getOrigin());
    }

    private static boolean secret(ConfigurationPropertyName name, String value) {
        String text = name.toString();
        return text.endsWith("password")
                || text.endsWith("url")
                || text.startsWith(ENCRYPTION) && !(name.equals(CURRENT) && value.length() <= LONGEST_ID);
    }
}
