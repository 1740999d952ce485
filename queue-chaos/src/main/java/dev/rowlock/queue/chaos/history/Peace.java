package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Spans.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * When nothing was wrong: what may take long under a fault, or on a machine that has no time for its processes, may not
 * then.
 *
 * @param calm when no fault had any effect, and the database answered; never, where nobody wrote down what was done
 * @param awake when each process was, by its name
 */
public record Peace(Spans calm, Map<String, Spans> awake) {

    /** Several times what is usual between two pulses. */
    private static final long LONGEST_GAP = Duration.ofMillis(1_500).toNanos();

    public static Peace of(History history) {
        Map<String, List<Long>> pulses = history.signs().pulses().stream()
                .collect(Collectors.groupingBy(
                        Pulse::node, TreeMap::new, Collectors.mapping(Pulse::nanos, Collectors.toList())));
        Map<String, Spans> awake = new TreeMap<>();
        pulses.forEach((node, nanos) -> awake.put(node, awake(nanos)));
        return new Peace(calm(history.strikes(), awake.getOrDefault(Pulse.DATABASE, Spans.NONE)), awake);
    }

    public Spans awake(String node) {
        return awake.getOrDefault(node, Spans.NONE);
    }

    private static Spans calm(List<Strike> strikes, Spans answering) {
        long begin = strikes.stream().mapToLong(Strike::from).min().orElse(Long.MAX_VALUE);
        Spans struck = Spans.of(strikes.stream()
                .map(strike -> new Span(strike.from(), strike.to()))
                .toList());
        return Spans.of(answering.list().stream()
                        .map(span -> new Span(Math.max(begin, span.from()), span.to()))
                        .toList())
                .minus(struck);
    }

    private static Spans awake(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        List<Span> spans = new ArrayList<>();
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i) - sorted.get(i - 1) <= LONGEST_GAP) {
                spans.add(new Span(sorted.get(i - 1), sorted.get(i)));
            }
        }
        return Spans.of(spans);
    }
}
