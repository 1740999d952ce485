package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Sharer;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.chaos.load.Work.Shared;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What ran in the queue whose keys share run time, process by process, while all keys had a backlog. A process shares the time of its own threads, and one that is started again knows nothing of the one before.
 */
public final class SharedTime {

    /** So many jobs of a key are a backlog: were all threads of the run to become free in the same moment, each could have one of this key. */
    private static final int BACKLOG = 3 * Shared.THREADS;

    /** A node may hear of a backlog that late, by its next look at the queue; then it knows who wants time after one round over all keys. */
    private static final long HEARD = Duration.ofSeconds(1).toNanos();

    /**
     * What each thread of a process has worked before it is looked at. Around its first handlers it loads classes, for a second or two on a busy machine: their keys are ahead by
     * that, and the others catch up in this time.
     */
    private static final long WARM = Duration.ofSeconds(6).toNanos();

    /** Somebody who has taken all memory of the process may be felt so long after. */
    private static final long AFTER_TROUBLE = Duration.ofSeconds(8).toNanos();

    private SharedTime() {}

    /** A handler, from its start to its end. */
    public record Run(Sharer sharer, long from, long to) {}

    /**
     * A time in which a process was there, warm, had its memory, and all keys had a backlog.
     *
     * @param runs all handlers that the process had begun by its end, also those that had ended before it
     */
    public record Stretch(String node, int threads, long from, long to, List<Run> runs) {

        public Stretch {
            runs = List.copyOf(runs);
        }
    }

    public static List<Stretch> stretches(History history) {
        Map<Long, Told> told = Jobs.of(history).told();
        Spans backlog = backlog(history, told);
        Map<String, Spans> lives = lives(history);
        Map<Long, End> ends =
                history.ends().stream().collect(Collectors.toMap(End::token, Function.identity(), (a, b) -> a));
        Map<String, List<Start>> starts = history.starts().stream().collect(Collectors.groupingBy(Start::node));
        List<Stretch> stretches = new ArrayList<>();
        for (Serves serves : history.signs().serves()) {
            if (serves.queue().equals(Shared.QUEUE)) {
                List<Start> own = starts.getOrDefault(serves.node(), List.of());
                List<Run> runs = runs(own, told, ends);
                Spans times = backlog.and(lives.getOrDefault(serves.node(), Spans.NONE))
                        .and(warm(runs, serves.threads()))
                        .minus(trouble(own, told, ends));
                times.list().stream()
                        .filter(span -> span.length() > HEARD)
                        .map(span -> stretch(serves, span, runs))
                        .forEach(stretches::add);
            }
        }
        return stretches;
    }

    private static Stretch stretch(Serves serves, Span span, List<Run> runs) {
        long from = span.from() + HEARD;
        return new Stretch(
                serves.node(),
                serves.threads(),
                from,
                span.to(),
                runs.stream().filter(run -> run.from() < span.to()).toList());
    }

    private static Spans warm(List<Run> runs, int threads) {
        long left = WARM * threads;
        for (Run run : runs.stream().sorted(Comparator.comparingLong(Run::to)).toList()) {
            left -= run.to() - run.from();
            if (left <= 0) {
                return Spans.of(run.to(), Spans.EVER);
            }
        }
        return Spans.NONE;
    }

    /** From the first to the last sign of each process, by its name; it may have stood still in between. */
    private static Map<String, Spans> lives(History history) {
        return history.signs().pulses().stream()
                .collect(Collectors.groupingBy(
                        Pulse::node,
                        Collectors.collectingAndThen(
                                Collectors.summarizingLong(Pulse::nanos),
                                nanos -> Spans.of(nanos.getMin(), nanos.getMax()))));
    }

    private static List<Run> runs(List<Start> starts, Map<Long, Told> told, Map<Long, End> ends) {
        return starts.stream()
                .flatMap(start -> {
                    Told job = told.get(start.job());
                    return job != null && shares(job)
                            ? Stream.of(new Run(Sharer.of(job.number()), start.nanos(), Busy.end(start, ends)))
                            : Stream.empty();
                })
                .toList();
    }

    private static Spans trouble(List<Start> starts, Map<Long, Told> told, Map<Long, End> ends) {
        return Spans.of(starts.stream()
                .filter(start -> {
                    Told job = told.get(start.job());
                    return job != null && job.act() == Act.EXHAUST;
                })
                .map(start -> new Span(start.nanos(), Busy.end(start, ends) + AFTER_TROUBLE))
                .toList());
    }

    /** When each key had one. */
    private static Spans backlog(History history, Map<Long, Told> told) {
        Map<Sharer, Ready> ready = new EnumMap<>(Sharer.class);
        Stream.of(Sharer.values()).forEach(sharer -> ready.put(sharer, new Ready()));
        Map<Long, String> rooms = new HashMap<>();
        history.moves().stream()
                .filter(move -> move.queue().equals(Shared.QUEUE))
                .sorted(Comparator.comparingLong(History.Move::seq))
                .forEach(move -> {
                    Told job = told.get(move.job());
                    Ready of = job == null ? null : ready.get(Sharer.of(job.number()));
                    if (of != null) {
                        String before = rooms.put(move.job(), move.room());
                        int change = (move.room().equals("ready") ? 1 : 0) - ("ready".equals(before) ? 1 : 0);
                        of.change(change, move.nanos());
                    }
                });
        return ready.values().stream().map(Ready::backlog).reduce(Spans::and).orElse(Spans.NONE);
    }

    private static boolean shares(Told job) {
        return job.type().equals("shared");
    }

    /** How many jobs of a key are ready. */
    private static final class Ready {

        private final List<Span> spans = new ArrayList<>();
        private int jobs;
        private long since;

        void change(int by, long nanos) {
            boolean before = jobs >= BACKLOG;
            jobs += by;
            boolean after = jobs >= BACKLOG;
            if (after && !before) {
                since = nanos;
            } else if (before && !after) {
                spans.add(new Span(since, nanos));
            }
        }

        Spans backlog() {
            List<Span> all = new ArrayList<>(spans);
            if (jobs >= BACKLOG) {
                all.add(new Span(since, Spans.EVER));
            }
            return Spans.of(all);
        }
    }
}
