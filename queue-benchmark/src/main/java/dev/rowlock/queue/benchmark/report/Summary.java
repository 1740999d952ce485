package dev.rowlock.queue.benchmark.report;

import dev.rowlock.queue.benchmark.measure.Figures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** What several runs measured: each figure's median and range, by peer. Confined to one thread. */
public final class Summary {

    /** One figure over all runs. */
    public record Spread(double median, double least, double most) {

        static Spread of(List<Double> values) {
            double[] sorted =
                    values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }
    }

    private final Map<String, List<Figures>> runs = new LinkedHashMap<>();

    public void add(String peer, Figures figures) {
        runs.computeIfAbsent(peer, name -> new ArrayList<>()).add(figures);
    }

    public List<String> peers() {
        return List.copyOf(runs.keySet());
    }

    /** Calls back with every figure of a peer, in order. */
    public void each(String peer, BiConsumer<String, Spread> figure) {
        List<Figures> all = runs.getOrDefault(peer, List.of());
        if (all.isEmpty()) {
            return;
        }
        Set<String> names = new LinkedHashSet<>(); // a run may lack what others have, as when a peer was cut off
        all.forEach(run -> run.names().forEach(names::add));
        for (String name : names) {
            List<Double> values = all.stream()
                    .filter(run -> run.values().containsKey(name))
                    .map(run -> run.get(name))
                    .toList();
            figure.accept(name, Spread.of(values));
        }
    }

    /** All names of figures, in order. */
    public List<String> figures() {
        List<String> names = new ArrayList<>();
        runs.keySet()
                .forEach(peer -> each(peer, (name, spread) -> {
                    if (!names.contains(name)) {
                        names.add(name);
                    }
                }));
        return names;
    }

    /** A number with about three digits. */
    static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100) {
            return "%,.0f".formatted(value);
        }
        return size >= 10 ? "%.1f".formatted(value) : "%.2f".formatted(value);
    }

    @Override
    public String toString() {
        return Arrays.toString(runs.keySet().toArray());
    }
}
