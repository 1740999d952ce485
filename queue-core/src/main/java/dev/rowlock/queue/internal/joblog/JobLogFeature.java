package dev.rowlock.queue.internal.joblog;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.joblog.LogStatements.Line;
import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what handlers of this node log about their jobs, and where they stand that run for long. */
public final class JobLogFeature implements Feature {

    private static final Logger log = LoggerFactory.getLogger(JobLogFeature.class);

    private static final Duration AFTER_A_LINE = Duration.ofSeconds(1);

    /** Not at once: many short jobs end in that time. */
    private static final Duration AFTER_AN_ATTEMPT = Duration.ofMillis(100);

    private final JobLog lines = new JobLog();
    private final Writing writing;

    public JobLogFeature(Database database) {
        this.writing = new Writing(lines, new LogStatements(database));
    }

    @Override
    public String name() {
        return "job-log";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(writing, new LongRuns(node, this::add));
    }

    /** Adds a line to the log of a job that runs on this node. */
    public void add(ClaimedJob job, String text) {
        if (lines.add(job, text)) {
            writing.trigger.within(AFTER_A_LINE);
        }
    }

    /** Hears of the ends of attempts: people look at the log then. */
    public JobObserver observer() {
        return new JobObserver() {
            @Override
            public boolean immediate() {
                return true;
            }

            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                if (!lines.isEmpty()) {
                    writing.trigger.within(AFTER_AN_ATTEMPT);
                }
            }
        };
    }

    /** On a thread of its own, which may be left behind: a connection or an answer may let it wait for longer than there is time. */
    @Override
    public void last(TimeBudget longest) {
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        if (!lines.isEmpty() && !longest.over()) {
            Thread thread = Threads.daemon("rowlock-job-log-last").newThread(() -> {
                try {
                    while (!lines.isEmpty() && !longest.over()) {
                        writing.runOnce();
                    }
                } catch (RuntimeException e) {
                    failure.set(e);
                }
            });
            thread.start();
            longest.join(thread);
            thread.interrupt();
        }
        int left = lines.size();
        if (left > 0) {
            log.warn(
                    "{} of the logs of jobs could not be written at the stop; they are lost if the process ends",
                    CountText.of(left, "line"),
                    failure.get());
        }
    }

    private static final class Writing implements Chore {

        private static final int BATCH = 1_000;

        /** The first line triggers it. */
        private static final Duration REST = Duration.ofMinutes(1);

        private final JobLog lines;
        private final LogStatements statements;
        private final LineLimit refusedLines = new LineLimit(1, Duration.ofMinutes(1));
        private long refused; // guarded by this; since the log said so
        private volatile Trigger trigger = time -> {}; // of the node that was started last

        Writing(JobLog lines, LogStatements statements) {
            this.lines = lines;
            this.statements = statements;
        }

        @Override
        public String name() {
            return "job log";
        }

        @Override
        public void triggeredBy(Trigger soon) {
            trigger = soon;
        }

        /** One at a time: a thread that was left behind at a stop may still write when the node has started again. */
        @Override
        public synchronized Duration runOnce() {
            List<Line> some = lines.first(BATCH);
            if (!some.isEmpty()) {
                lines.written(some, write(some));
            }
            return lines.isEmpty() ? REST : some.size() == BATCH ? Duration.ZERO : AFTER_A_LINE;
        }

        /**
         * Returns those to try again. A line that the server refuses for what is in it must not keep the others, and is not tried again: it is worth less
         * than the memory that it would fill.
         */
        private List<Line> write(List<Line> some) {
            try {
                statements.write(some);
                return List.of();
            } catch (RuntimeException e) {
                if (!BatchSplitter.isOfARow(e)) {
                    throw e; // all of them are worth another try
                }
                Set<Line> done = new HashSet<>();
                Map<Line, RuntimeException> bad = BatchSplitter.refused(
                        some,
                        part -> {
                            statements.write(part);
                            done.addAll(part);
                        },
                        e);
                done.addAll(bad.keySet());
                tell(bad);
                return some.stream().filter(line -> !done.contains(line)).toList();
            }
        }

        private void tell(Map<Line, RuntimeException> bad) {
            refused += bad.size();
            if (refused > 0 && refusedLines.admitted(System.nanoTime()) >= 0) {
                log.warn(
                        "the server refuses {} of the logs of jobs; what it refuses is lost",
                        CountText.of(refused, "line"),
                        bad.values().stream().findFirst().orElse(null));
                refused = 0;
            }
        }
    }
}
