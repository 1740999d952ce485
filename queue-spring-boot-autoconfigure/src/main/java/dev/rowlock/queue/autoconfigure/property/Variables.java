package dev.rowlock.queue.autoconfigure.property;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Environment variables that are almost properties. In their names, an underscore may be a dot, a dash, or part of the name of a queue. */
final class Variables {

    private static final Logger log = LoggerFactory.getLogger(Variables.class);

    /** So many wrong letters are a slip, in names of some length. */
    private static final int SLIP = 2;

    private static final int SHORT = 6;

    private Variables() {}

    /**
     * @param name as Boot reads it
     * @param prefix how many of its elements are the prefix of all properties
     */
    static void warnOfSlip(ConfigurationPropertyName name, int prefix, PropertyTree tree) {
        List<String> elements = IntStream.range(0, name.getNumberOfElements())
                .filter(i -> !name.isNumericIndex(i)) // of a list
                .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                .toList();
        List<Reading> readings = readings(elements, prefix, tree).toList();
        if (readings.stream().noneMatch(reading -> reading.wrong() == 0)) {
            readings.stream()
                    .filter(reading -> reading.wrong() <= (reading.text().length() < SHORT ? 1 : SLIP))
                    .min(Comparator.comparingInt(Reading::wrong))
                    .ifPresent(reading -> log.warn(
                            "the environment variable {} sets no property, and is not read; did you mean {}?",
                            String.join("_", elements).toUpperCase(Locale.ROOT),
                            reading.variable()));
        }
    }

    /** What the variable may mean: all of it, or what follows the key of a map. */
    private static Stream<Reading> readings(List<String> elements, int prefix, PropertyTree tree) {
        if (elements.size() <= prefix) {
            return Stream.of();
        }
        PropertyTree map = tree.children().get(elements.get(prefix));
        PropertyTree below = map == null ? null : map.ofMap();
        Stream<Reading> plain = tree.properties().map(property -> new Reading(elements, prefix, property));
        return below == null
                ? plain
                : Stream.concat(
                        plain,
                        IntStream.range(prefix + 2, elements.size())
                                .boxed()
                                .flatMap(from ->
                                        below.properties().map(property -> new Reading(elements, from, property))));
    }

    /**
     * One meaning.
     *
     * @param from where the name of the property begins
     */
    private record Reading(List<String> elements, int from, String property) {

        String text() {
            return String.join("", elements.subList(from, elements.size()));
        }

        int wrong() {
            return Nearest.distance(text(), Nearest.plain(property));
        }

        String variable() {
            String before = String.join("_", elements.subList(0, from));
            return (before + "_" + property.replace("-", "").replace('.', '_')).toUpperCase(Locale.ROOT);
        }
    }
}
