package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a listener may know and do about the job that it is running. Declare it as a parameter beside the payload.
 *
 * <p>Valid until the listener returns; then every method that changes something throws
 * {@link IllegalStateException}. May be used from other threads of the handler.
 */
public interface JobContext {

    /** The job's id: unique in its schema, never used again. */
    long id();

    /** The queue that it was claimed from. */
    String queue();

    /** Its type's logical name. */
    String type();

    /** Which jobs of its queue it belongs with: its {@linkplain JobOptions#key(String) key}. Empty for none. */
    Optional<String> key();

    /** 1 for the first attempt. Released, snoozed and crashed attempts are not counted. */
    int attempt();

    /** How many times a node died while it held this job. */
    int crashes();

    /**
     * The claim's token: a number that grows with every claim in this schema. Store the highest token beside what you
     * write to another system and refuse lower ones; a node that has lost its claim can then do no harm there.
     */
    long claimToken();

    /** The headers given at enqueue; empty if there were none. */
    Map<String, String> headers();

    /**
     * When this attempt will be interrupted, on the database's clock as this node estimates it: the timeout counts from the
     * handler's start. Empty for a job without timeout.
     */
    Optional<Instant> deadline();

    /**
     * Moves the deadline to this time from now. For a job without timeout it sets one. One statement, in a
     * transaction of its own.
     *
     * @throws ClaimLostException if the job is not this node's any more
     * @throws IllegalStateException in a transaction with isolation {@code REPEATABLE READ} or {@code SERIALIZABLE}: it could not complete the job any more
     */
    void extend(Duration fromNow);

    /**
     * Whether the handler is to stop, for whatever reason. A long loop asks from time to time, and throws an exception if so;
     * to return would complete the job.
     */
    default boolean stopRequested() {
        return stopReason().isPresent();
    }

    /** Why the handler is to stop; empty if it may go on. */
    Optional<StopReason> stopReason();

    /** How often the job is tried again at most: as it says itself, or its listener. There may be a limit in time as well. */
    int maxRetries();

    /** Whether a failure of this attempt is final, because there are no more retries. */
    default boolean lastAttempt() {
        return attempt() > maxRetries();
    }

    /** When the job was enqueued, on the database's clock. */
    Instant enqueuedAt();

    /**
     * What went wrong in earlier attempts, oldest first. Reads them by one statement, in a transaction of its own.
     *
     * @throws ClaimLostException if the job is not this node's any more
     */
    List<FailedAttempt> errors();

    /** As {@link #progress(int, String)}, without a note. */
    default void progress(int percent) {
        progress(percent, null);
    }

    /**
     * Publishes how far the handler is. One statement, in a transaction of its own: call it a few times per second at
     * most.
     *
     * @param percent 0 to 100
     * @param note a few words for people, at most 500 characters; null for none
     * @throws ClaimLostException if the job is not this node's any more
     * @throws IllegalStateException in a transaction with isolation {@code REPEATABLE READ} or {@code SERIALIZABLE}: it could not complete the job any more
     */
    void progress(int percent, @Nullable String note);

    /** The longest line of a job's log, in characters. */
    int MAX_LOG_LINE = 2_000;

    /**
     * Writes a line to the job's log, which people read on its page, with time and attempt. Never waits: the node writes its lines about once a second,
     * whatever becomes of a transaction, also of a claim that it has lost. If it is killed, the last second is lost. A job keeps its newest 1,000 lines,
     * as long as it is kept itself.
     *
     * @param line up to {@value #MAX_LOG_LINE} characters of it are kept
     */
    void log(String line);

    /** As {@link #log(String)}, with values in place of each <code>{}</code>: {@code log("page {} of {}", page, pages)}. */
    default void log(String format, @Nullable Object... values) {
        StringBuilder line = new StringBuilder();
        int from = 0;
        for (Object value : values) {
            int place = format.indexOf("{}", from);
            if (place < 0) {
                break;
            }
            line.append(format, from, place).append(value);
            from = place + 2;
        }
        log(line.append(format, from, format.length()).toString());
    }

    /**
     * Notes for the next attempt how far this one is, in place of what was noted before. It outlasts failures, crashes, snoozes and
     * redrives, and is removed some time after the job has completed, was cancelled or discarded.
     *
     * <p>Joins the transaction that is active on this thread, if it is one of Rowlock's DataSource: then the checkpoint and what
     * a step has written there commit together, or not at all. Until such a transaction ends, nobody can take the job from this
     * node. Without one it is a statement in a transaction of its own: call it a few times per second at most.
     *
     * <p>In a transactional listener the transaction is the listener's: if the attempt fails, its checkpoints are rolled back.
     *
     * @param value any value that serializes to JSON, at most 64 KB of it
     * @throws ClaimLostException if the job is not this node's any more: let it pass, so that the transaction rolls back
     * @throws IllegalArgumentException for null, and for a value that is too large
     * @throws IllegalStateException in a transaction that does not reach Rowlock's DataSource, or is read-only
     */
    void saveCheckpoint(Object value);

    /**
     * What {@link #saveCheckpoint} noted last, in this attempt or an earlier one, on whatever node; empty if nothing was noted. One
     * statement each time, in the transaction that is active on this thread if there is one.
     *
     * @throws ClaimLostException if the job is not this node's any more
     * @throws RuntimeException a {@code PayloadException} if what was noted is no such value
     */
    <T> Optional<T> checkpoint(Class<T> type);

    /**
     * Completes the job inside the transaction that is active on this thread: its changes and "done" commit together,
     * or not at all. Call it last; what the listener returns or throws afterwards is ignored if the transaction
     * commits, and the attempt fails if it rolls back.
     *
     * @param result kept as the job's result, as JSON; null for none
     * @throws ClaimLostException if the job is not this node's any more: let it pass, so that the transaction rolls
     *     back
     * @throws IllegalStateException without an active transaction on Rowlock's DataSource
     */
    void completeInTransaction(@Nullable Object result);

    /** As {@link #completeInTransaction(Object)}, without a result. */
    default void completeInTransaction() {
        completeInTransaction(null);
    }
}
