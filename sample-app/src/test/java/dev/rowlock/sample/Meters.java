package dev.rowlock.sample;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The figures of one scrape of {@code /actuator/prometheus}. */
final class Meters {

    private final List<String> lines;

    Meters(Shop shop) {
        this.lines = shop.text("/actuator/prometheus").lines().toList();
    }

    /** The sum of a meter's lines that have these tags: name, value, name, value … */
    double sum(String meter, String... tags) {
        return lines.stream()
                .filter(line -> line.startsWith(meter + "{"))
                .filter(line -> hasAll(line, tags))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** As Prometheus prints them: without tags, comments and values. */
    Set<String> names() {
        return lines.stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toSet());
    }

    private static boolean hasAll(String line, String... tags) {
        for (int i = 0; i < tags.length; i += 2) {
            if (!line.contains("%s=\"%s\"".formatted(tags[i], tags[i + 1]))) {
                return false;
            }
        }
        return true;
    }
}
