package dev.rowlock.queue.search;

import static dev.rowlock.queue.job.JobState.CANCELLED;
import static dev.rowlock.queue.job.JobState.COMPLETED;
import static dev.rowlock.queue.job.JobState.DEAD;
import static dev.rowlock.queue.job.JobState.QUARANTINED;
import static dev.rowlock.queue.job.JobState.READY;
import static dev.rowlock.queue.job.JobState.RUNNING;
import static dev.rowlock.queue.job.JobState.WAITING;

import dev.rowlock.queue.job.JobState;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The times that are known of a job. All are times of the database's clock. */
public enum JobTime {
    /** When it was enqueued. Known in every state. */
    ENQUEUED(EnumSet.allOf(JobState.class)),
    /** {@code WAITING}: when it becomes runnable. {@code READY}, {@code RUNNING}: since when it is runnable. */
    DUE(EnumSet.of(WAITING, READY, RUNNING)),
    /** When a node claimed it for its last attempt. A job that was cancelled before it ran has none. */
    STARTED(EnumSet.of(RUNNING, COMPLETED, CANCELLED, DEAD, QUARANTINED)),
    /** When it was completed, was cancelled, died or was quarantined. */
    ENDED(EnumSet.of(COMPLETED, CANCELLED, DEAD, QUARANTINED));

    private final Set<JobState> states;
    private final String label = name().toLowerCase(Locale.ROOT);

    JobTime(Set<JobState> states) {
        this.states = Collections.unmodifiableSet(states);
    }

    /** The states of jobs that have this time. */
    public Set<JobState> states() {
        return states;
    }

    /** Its name in texts and URLs: lower case. */
    public String label() {
        return label;
    }
}
