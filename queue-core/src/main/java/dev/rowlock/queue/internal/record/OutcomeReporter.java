package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log and the observers what came of outcomes. Recorder's thread. */
final class OutcomeReporter {

    private static final Logger log = LoggerFactory.getLogger(OutcomeReporter.class);

    private final Observers observer;
    private volatile boolean failing; // written by the recorder's thread
    private int unwritable; // recorder's thread only

    OutcomeReporter(Observers observer) {
        this.observer = observer;
    }

    void finished(PendingOutcome entry) {
        // What a handler threw has been logged where it was thrown.
        if (entry.outcome() instanceof Outcome.Failed failed && failed.thrown() == null) {
            log.error(
                    "{} is dead, and stays so unless it is redriven: {}: {}",
                    entry.job(),
                    failed.error().type(),
                    failed.error().message());
        } else if (entry.outcome() instanceof Outcome.Snoozed snoozed) {
            log.debug("{} snoozes until {}: {}", entry.job(), snoozed.due(), snoozed.why());
        }
        observer.finished(entry.job(), entry.outcome(), entry.took());
    }

    void lost(PendingOutcome entry) {
        if (entry.outcome() instanceof Outcome.Released) {
            log.debug("{} is not this node's any more", entry.job());
        } else {
            log.warn(
                    "the outcome '{}' of {} is refused: its claim is over, lost or already recorded; the database decides",
                    entry.outcome().label(),
                    entry.job());
        }
        observer.lost(entry.job());
    }

    void blocked(List<PendingOutcome> entries) {
        if (!entries.isEmpty()) {
            log.info(
                    "{} outcomes wait because another transaction has locked their jobs, such as that of {}",
                    entries.size(),
                    entries.get(0).job());
        }
    }

    /** Whether the last write failed. Any thread. */
    boolean failing() {
        return failing;
    }

    /**
     * Notes how a write ended, and says so where that is news.
     *
     * @param failure null: it succeeded
     * @param open outcomes that are to be tried again
     * @return whether it is the first that succeeded after others had failed
     */
    boolean noteFailure(@Nullable Throwable failure, int open) {
        boolean before = failing;
        failing = failure != null;
        if (failing && !before) {
            EndlessTask.tell(
                    () -> log.warn("{} outcomes could not be written; they are kept and tried again", open, failure));
        } else if (!failing && before) {
            EndlessTask.tell(() -> log.info("outcomes can be written again"));
        }
        return before && !failing;
    }

    /** Says how many cannot be written, if there are more than last time. */
    void unwritable(LaterOutcomes later, @Nullable Throwable failure) {
        int refused = later.refused();
        PendingOutcome example = later.lastRefused();
        if (refused > unwritable && example != null) {
            log.error(
                    "{} outcomes cannot be written although others can, such as '{}' of {}; they are tried again from"
                            + " time to time, and their jobs stay in running as long as this node lives",
                    refused,
                    example.outcome().label(),
                    example.job(),
                    failure);
        }
        unwritable = refused;
    }
}
