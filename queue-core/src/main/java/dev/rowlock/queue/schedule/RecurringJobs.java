package dev.rowlock.queue.schedule;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes, changes and watches recurring jobs at run time. Thread-safe.
 *
 * <p>Every method that changes something joins the Spring transaction of the calling thread, as {@link
 * dev.rowlock.queue.JobOperations} does, with the same errors. Nodes hear of it after the commit. Until then the recurring job is
 * locked: a run whose time comes meanwhile comes late.
 *
 * <p>What an application declares, by {@link Recurring} or as a bean, is changed in its code: {@link #create}, {@link #change}
 * and {@link #delete} refuse its name. It can be paused, resumed and run by hand like the others.
 */
public interface RecurringJobs {

    /**
     * The same in somebody's name, for the audit. Each change leaves a line there, in its own transaction; without this, {@code application} makes it.
     *
     * @param who 1 to 1,000 characters
     * @param why up to 1,000 characters; null: nobody says
     * @throws IllegalArgumentException if one of them is blank or too long
     */
    RecurringJobs by(String who, @Nullable String why);

    /**
     * Makes a recurring job. Its first run is the next one in time.
     *
     * @throws IllegalStateException if there is one of that name
     */
    void create(RecurringJob job);

    /**
     * Replaces the recurring job of that name: schedule, payload and everything else. Runs that are due already stay due unless
     * the schedule is another one. It stays paused if it was.
     *
     * @throws IllegalStateException if there is none of that name, or applications declare it
     */
    void change(RecurringJob job);

    /** Stops it until {@link #resume}, also over restarts. Jobs that are there already go on. False if there is none. */
    boolean pause(String name);

    /** Ends its pause. The next run is the next one in time; what fell into the pause is not made up for. False if there is none. */
    boolean resume(String name);

    /**
     * Enqueues one of its jobs at once, also while it is paused or retired, and returns its id. Its times stay as they are; with an
     * {@link Overlap} other than {@code ALLOW} the next run finds this job. The job's header {@value RecurringJob#SCHEDULED_AT} is
     * the time of the call. Empty, and nothing is enqueued, if its {@code Overlap} is not {@code ALLOW} and its last job has not ended.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    OptionalLong runNow(String name);

    /**
     * Removes it. Jobs that are there already go on. False if there is none.
     *
     * @throws IllegalStateException if applications declare it: they would make it again
     */
    boolean delete(String name);

    /** All of them by name, with their next times. */
    List<RecurringJobDetails> list();

    Optional<RecurringJobDetails> find(String name);
}
