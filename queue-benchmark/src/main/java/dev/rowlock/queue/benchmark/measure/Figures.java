package dev.rowlock.queue.benchmark.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** What one run measured: figures by name, in the order in which they were noted. Confined to one thread. */
public final class Figures {

    private final Map<String, Double> values = new LinkedHashMap<>();

    /** Notes a figure. Its name ends with its unit: {@code jobs_per_s}, {@code p99_ms}. */
    public Figures put(String name, double value) {
        values.put(name, value);
        return this;
    }

    /** Notes a rate. */
    public Figures rate(String name, long count, long nanos) {
        return put(name, count * 1e9 / Math.max(1, nanos));
    }

    public Map<String, Double> values() {
        return Map.copyOf(values);
    }

    /** The names in order. */
    public Iterable<String> names() {
        return values.keySet();
    }

    public double get(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no figure %s among %s".formatted(name, values.keySet()));
        }
        return value;
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(" ");
        values.forEach((name, value) -> text.add("%s=%.3f".formatted(name, value)));
        return text.toString();
    }
}
