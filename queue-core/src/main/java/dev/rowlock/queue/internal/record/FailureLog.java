package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Tells of attempts that failed: at WARN where the job is tried again, at ERROR where it is dead, because then nothing happens unless somebody
 * acts. Each minute the first one of each cause is a line, and the next line of the cause counts those between. A cause is a type of job, a key and
 * the class of the error: one customer whose jobs all fail does not hide what fails for others. At DEBUG each attempt is a line with its trace. Never the
 * payload; of the error, what redactors left of it. Thread-safe.
 *
 * <p>The lines of a second are limited beyond that, for there may be many causes.
 */
public final class FailureLog {

    /** Where the class lies is nobody's business: people write this name into their settings. */
    public static final String NAME = "dev.rowlock.queue.failures";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    /** Lines a second. */
    public static final int MOST = 100;

    /** The longest message within a line, in characters. */
    private static final int LONGEST = 500;

    private static final Duration EACH = Duration.ofMinutes(1);

    /** Causes that are remembered; the one that was seen longest ago is forgotten first. */
    private static final int CAUSES = 1_000;

    private record Cause(String type, @Nullable String key, String error, boolean dead) {}

    private final Duration each;
    private final LineLimit lines = new LineLimit(MOST, Duration.ofSeconds(1));

    private final Map<Cause, LineLimit> causes = new LinkedHashMap<>(16, 0.75f, true) { // guarded by itself
                @Override
                protected boolean removeEldestEntry(Map.Entry<Cause, LineLimit> eldest) {
                    return size() > CAUSES;
                }
            };

    public FailureLog() {
        this(EACH);
    }

    FailureLog(Duration each) {
        this.each = each;
    }

    /** The attempt has ended like this. */
    public void tell(ClaimedJob job, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            tell(job, retry.error(), due(retry.due()), false);
        } else if (outcome instanceof Outcome.Failed failed) {
            tell(job, failed.error(), "it is dead, and stays so unless it is redriven", true);
        }
    }

    private void tell(ClaimedJob job, JobError error, String next, boolean dead) {
        long now = System.nanoTime();
        long like = log.isDebugEnabled()
                ? 0
                : limit(new Cause(job.type(), job.key(), error.type(), dead)).admitted(now);
        long before = like < 0 ? -1 : lines.admitted(now);
        if (before < 0) {
            return;
        }
        String others = like == 0 ? "" : "; %d more like this since the last such line".formatted(like);
        String trace = log.isDebugEnabled() && !error.trace().isEmpty() ? "\n" + error.trace() : "";
        EndlessTask.tell(() -> {
            if (before > 0) {
                log.warn("{} further failures before this one were not logged", before);
            }
            log.atLevel(dead ? Level.ERROR : Level.WARN)
                    .log(
                            "{} failed with {}: {}; {}{}{}",
                            job,
                            error.type(),
                            oneLine(error.message()),
                            next,
                            others,
                            trace);
        });
    }

    private LineLimit limit(Cause cause) {
        synchronized (causes) {
            return causes.computeIfAbsent(cause, added -> new LineLimit(1, each));
        }
    }

    private static String due(Due due) {
        Duration after = due.after();
        return after != null
                ? "it is tried again after %d ms".formatted(after.toMillis())
                : "it is tried again at " + due.at();
    }

    private static String oneLine(String message) {
        String start = message.length() <= LONGEST ? message : message.substring(0, LONGEST) + " …";
        return start.replaceAll("\\p{Cntrl}+", " ");
    }
}
