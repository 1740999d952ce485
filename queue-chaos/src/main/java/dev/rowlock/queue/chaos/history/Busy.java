package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Spans.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** When handlers kept the threads of a node busy. */
public final class Busy {

    public static final Comparator<Serves> ORDER =
            Comparator.comparing(Serves::node).thenComparing(Serves::queue).thenComparing(Serves::threads);

    private Busy() {}

    /** When fewer of these handlers than there are threads were at work. */
    public static Spans free(List<Start> starts, Map<Long, End> ends, int threads) {
        TreeMap<Long, Integer> changes = new TreeMap<>();
        for (Start start : starts) {
            changes.merge(start.nanos(), 1, Integer::sum);
            changes.merge(end(start, ends), -1, Integer::sum);
        }
        List<Span> free = new ArrayList<>();
        long since = -Spans.EVER;
        int busy = 0;
        for (Map.Entry<Long, Integer> change : changes.entrySet()) {
            int before = busy;
            busy += change.getValue();
            if (before < threads && busy >= threads) {
                free.add(new Span(since, change.getKey()));
            } else if (before >= threads && busy < threads) {
                since = change.getKey();
            }
        }
        if (busy < threads) {
            free.add(new Span(since, Spans.EVER));
        }
        return Spans.of(free);
    }

    /** The ends by token. A handler that an error has hit may leave no line of its end: what became of its claim follows it. */
    public static Map<Long, End> ends(History history, Claims claims) {
        Map<Long, End> ends =
                history.ends().stream().collect(Collectors.toMap(End::token, Function.identity(), (a, b) -> a));
        history.starts().forEach(start -> {
            Claims.@Nullable Claim claim = claims.byToken().get(start.token());
            if (claim != null && claim.exit() != null) {
                ends.putIfAbsent(
                        start.token(),
                        new End(start.node(), claim.exit().nanos(), start.job(), start.token(), "unknown"));
            }
        });
        return ends;
    }

    /** A handler that was killed with its process never ended. */
    public static long end(Start start, Map<Long, End> ends) {
        End end = ends.get(start.token());
        return end == null ? Spans.EVER : end.nanos();
    }
}
