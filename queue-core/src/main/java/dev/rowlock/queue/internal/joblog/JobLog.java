package dev.rowlock.queue.internal.joblog;

import dev.rowlock.queue.internal.joblog.LogStatements.Line;
import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lines of the logs of jobs that are not written yet. Thread-safe; nobody waits for the database. */
final class JobLog {

    private static final Logger log = LoggerFactory.getLogger(JobLog.class);

    /** Of all jobs of the node, in characters. Beyond that lines are left out. */
    static final int MOST_CHARACTERS = 4_000_000;

    /** What a line takes beside its text, in characters: empty ones fill the memory as well. */
    static final int BESIDE_TEXT = 100;

    private final LineLimit leftOutLines = new LineLimit(1, Duration.ofMinutes(1));
    private final Deque<Line> lines = new ArrayDeque<>(); // guarded by this, as all below
    private int characters;
    private long number;
    private int leftOut;

    /** Returns whether it is the first one since all were taken. */
    synchronized boolean add(ClaimedJob job, String text) {
        Line line = new Line(job.id(), job.claim().token(), job.attempt(), number++, System.nanoTime(), storable(text));
        if (characters + size(line) > MOST_CHARACTERS) {
            leftOut++;
            return false;
        }
        lines.add(line);
        characters += size(line);
        return lines.size() == 1;
    }

    private static int size(Line line) {
        return line.text().length() + BESIDE_TEXT;
    }

    synchronized boolean isEmpty() {
        return lines.isEmpty();
    }

    synchronized int size() {
        return lines.size();
    }

    /** The oldest ones, which stay until they are {@linkplain #written written}. */
    synchronized List<Line> first(int most) {
        List<Line> first = new ArrayList<>();
        lines.stream().limit(most).forEach(first::add);
        return first;
    }

    /** These, which were the first ones, need not be kept any more, but for these of them, in the same order. */
    synchronized void written(List<Line> first, List<Line> kept) {
        for (Line line : first) {
            lines.remove();
            characters -= size(line);
        }
        for (int i = kept.size() - 1; i >= 0; i--) {
            lines.addFirst(kept.get(i));
            characters += size(kept.get(i));
        }
        if (leftOut > 0 && leftOutLines.admitted(System.nanoTime()) >= 0) {
            log.warn("{} lines of the logs of jobs were left out: handlers log more than the database takes", leftOut);
            leftOut = 0;
        }
    }

    /** Cut, and without what PostgreSQL or UTF-8 cannot hold. */
    private static String storable(String text) {
        boolean cut = text.length() > JobContext.MAX_LOG_LINE;
        String some = cut ? text.substring(0, JobContext.MAX_LOG_LINE - 1) + "…" : text;
        return some.codePoints()
                .map(point -> point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
                        ? 0xFFFD
                        : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
