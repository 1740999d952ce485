package dev.rowlock.queue.internal.joblog;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.joblog.LogStatements.Line;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.List;
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

    @Override
    public void last(TimeBudget longest) {
        try {
            while (!lines.isEmpty() && !longest.over()) {
                writing.runOnce();
            }
        } catch (RuntimeException e) {
            log.warn("the last lines of the logs of jobs could not be written; they are lost", e);
        }
    }

    private static final class Writing implements Chore {

        private static final int BATCH = 1_000;

        /** The first line triggers it. */
        private static final Duration REST = Duration.ofMinutes(1);

        private final JobLog lines;
        private final LogStatements statements;
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

        @Override
        public Duration runOnce() {
            List<Line> some = lines.first(BATCH);
            if (!some.isEmpty()) {
                write(some);
                lines.written(some);
            }
            return lines.isEmpty() ? REST : some.size() == BATCH ? Duration.ZERO : AFTER_A_LINE;
        }

        /** What the server refuses must not keep all other lines: they are worth less than the memory that they would fill. */
        private void write(List<Line> some) {
            try {
                statements.write(some);
            } catch (RuntimeException e) {
                BatchSplitter.requireAnswer(e);
                log.warn("the server refuses {} lines of the logs of jobs; they are lost", some.size(), e);
            }
        }
    }
}
