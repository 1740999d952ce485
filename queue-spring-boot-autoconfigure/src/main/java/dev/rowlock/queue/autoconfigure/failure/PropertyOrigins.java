package dev.rowlock.queue.autoconfigure.failure;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Where properties were set: the file and line, the variable, the argument. */
final class PropertyOrigins {

    private final Environment environment;

    PropertyOrigins(Environment environment) {
        this.environment = environment;
    }

    /** A line for each property with one of these names or below it; empty if none of them is set. Values that may be secret stay out. */
    String below(List<String> prefixes) {
        List<ConfigurationPropertyName> parents = prefixes.stream()
                .map(prefix -> ConfigurationPropertyName.adapt(prefix, '.'))
                .toList();
        Map<String, String> lines = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name ->
                                parents.stream().anyMatch(parent -> name.equals(parent) || parent.isAncestorOf(name)))
                        .forEach(name -> lines.computeIfAbsent(name.toString(), key -> line(name, iterable)));
            }
        }
        return lines.values().stream().collect(Collectors.joining("\n"));
    }

    private static String line(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        if (property == null) {
            return "    " + name;
        }
        String value = secret(name.toString()) ? "******" : String.valueOf(property.getValue());
        return "    %s = %s (%s)"
                .formatted(name, value, property.getOrigin() == null ? "origin unknown" : property.getOrigin());
    }

    private static boolean secret(String name) {
        return name.endsWith("password") || name.endsWith("url") || name.contains(".encryption.keys.");
    }
}
