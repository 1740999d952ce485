package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outcomes of jobs whose rows somebody else has locked, as a business transaction that cancels a job does until its end.
 * They wait apart from all others and are tried again each {@link #RETRY}. One thread.
 */
final class BlockedOutcomes {

    private static final Logger log = LoggerFactory.getLogger(BlockedOutcomes.class);

    private static final Duration RETRY = Duration.ofSeconds(1);

    private List<Recorder.Entry> entries = new ArrayList<>();
    private boolean told;
    private long retryAt; // monotonic

    boolean isEmpty() {
        return entries.isEmpty();
    }

    void add(List<Recorder.Entry> more) {
        if (more.isEmpty()) {
            return;
        }
        if (!told) {
            told = true;
            log.info(
                    "{} outcomes wait because another transaction has locked their jobs, such as that of {}",
                    more.size(),
                    more.get(0).execution().job());
        }
        entries.addAll(more);
        retryAt = System.nanoTime() + RETRY.toNanos();
    }

    /** Whether it is time to try them again. */
    boolean due() {
        return !isEmpty() && nanosUntilDue() <= 0;
    }

    long nanosUntilDue() {
        return retryAt - System.nanoTime();
    }

    /** Takes them out, to be tried again; those that are still blocked come back by {@link #add}. */
    List<Recorder.Entry> take() {
        List<Recorder.Entry> taken = entries;
        entries = new ArrayList<>();
        return taken;
    }

    /** They have been tried again. */
    void tried() {
        told = !isEmpty();
    }
}
