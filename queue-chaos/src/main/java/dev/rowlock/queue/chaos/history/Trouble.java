package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Told;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** When handlers did something to their process that its other jobs feel. */
public final class Trouble {

    private static final Set<Act> ACTS = Set.of(Act.HOG, Act.EXHAUST, Act.EXIT, Act.HALT);

    private static final long AFTER = Duration.ofSeconds(8).toNanos();

    private Trouble() {}

    /** Made by these handlers. */
    public static Spans of(Jobs jobs, List<Start> starts, Map<Long, End> ends) {
        return Spans.of(starts.stream()
                .filter(start -> makes(jobs, start))
                .map(start -> new Span(start.nanos(), Busy.end(start, ends) + AFTER))
                .toList());
    }

    private static boolean makes(Jobs jobs, Start start) {
        Told told = jobs.told().get(start.job());
        return told != null && ACTS.contains(told.act());
    }
}
