package dev.rowlock.queue.internal.joblog;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.lease.LongRun;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Chore that adds to the log of a job that runs for long where its handler stands: after five minutes, and each time that it has run twice as long. */
final class LongRuns implements Chore {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final int FRAMES = 15;

    private final OwnNode node;
    private final BiConsumer<ClaimedJob, String> jobLog;
    private Map<Thread, Duration> next = Map.of(); // when those that run for long are noted again

    LongRuns(OwnNode node, BiConsumer<ClaimedJob, String> jobLog) {
        this.node = node;
        this.jobLog = jobLog;
    }

    @Override
    public String name() {
        return "long runs";
    }

    @Override
    public Duration runOnce() {
        List<LongRun> runs = new ArrayList<>(node.longRuns(LONG));
        runs.sort(Comparator.comparingLong(run -> run.job().id()));
        Map<Thread, Duration> again = new HashMap<>();
        for (LongRun run : runs) {
            Thread handler = run.handler();
            if (!again.containsKey(handler)) { // of a chunk, the first job has the line
                Duration due = next.getOrDefault(handler, LONG);
                boolean now = run.running().compareTo(due) >= 0;
                if (now) {
                    jobLog.accept(run.job(), line(run));
                }
                again.put(handler, now ? run.running().multipliedBy(2) : due);
            }
        }
        next = again;
        return INTERVAL;
    }

    private static String line(LongRun run) {
        return "has run for %s; its thread is %s%s"
                .formatted(
                        DurationText.rough(run.running()),
                        run.handler().getState().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        Arrays.stream(run.handler().getStackTrace())
                                .limit(FRAMES)
                                .map(frame -> "\n\tat " + frame)
                                .collect(Collectors.joining()));
    }
}
