package dev.rowlock.queue.gate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Limits, rates and the order of keys, which hold for all nodes, whatever their versions are from the one on that knows them.
 * They are stored, so they outlast restarts. Thread-safe.
 *
 * <p>Each method joins the caller's transaction if there is one. A limit holds for claims that begin after its commit: jobs that run then run on, and
 * where more of them run than it allows, none begins until enough have ended.
 */
public interface QueueLimits {

    /**
     * The same in somebody's name, for the audit.
     *
     * @param who 1 to 1,000 characters
     * @param why up to 1,000 characters; null: nobody says
     */
    QueueLimits by(String who, @Nullable String why);

    /**
     * Sets the limits of a queue in place of all that it had: what {@code limit} does not name does not hold any more, order and rates too. It overrides
     * what the configuration declares until {@link #remove}. An empty limit, {@code QueueLimit.of("mail")}, lets the queue run without any.
     */
    void set(QueueLimit limit);

    /**
     * Changes one thing and keeps the others: {@code limits.change("mail", limit -> limit.maxRunning(5))}. Otherwise as {@link #set}.
     *
     * @param change from what holds now, or from an empty limit; called once, inside the transaction
     * @return what holds from now on
     * @throws IllegalArgumentException if the change is about another queue
     */
    QueueLimit change(String queue, UnaryOperator<QueueLimit> change);

    /**
     * Removes what was set at run time. What the configuration declares holds again in the same moment. False if nothing was set at run time;
     * then nothing has changed.
     */
    boolean remove(String queue);

    /** What holds for a queue. Empty: nothing. */
    Optional<QueueLimit> find(String queue);

    /** All of them, by the name of their queues. */
    List<QueueLimit> all();

    /**
     * Gives a key more of each claim than others get, as many times as its weight: with 3, three jobs begin whenever one of another key does, as long as
     * both have some. It counts for the jobs that are there already.
     *
     * @param weight 1 to 1,000; 1: as much as others
     */
    void weight(String queue, String key, int weight);

    /** Keys of a queue with another weight than 1. */
    Map<String, Integer> weights(String queue);

    /**
     * The same, those with the highest weights first, then by key.
     *
     * @param limit how many at most, 1 to 10,000
     */
    Map<String, Integer> weights(String queue, int limit);

    /**
     * No job of a key begins for a time, because somebody outside has asked for it, as {@link dev.rowlock.queue.job.SlowDownException} does. It holds from
     * now on, whatever becomes of the caller's transaction. Running jobs go on. A shorter time does not shorten a slow-down; zero ends it.
     *
     * @param key null, or a key in a queue without a rate per key: no job of the queue begins
     * @param time 1 ms to 31 days; zero: ends the slow-down
     * @return false if the queue has no rate that this could slow down; then nothing has changed
     */
    boolean slowDown(String queue, @Nullable String key, Duration time);

    /**
     * Keys of a queue in order whose jobs wait for one that has begun and not ended, by key.
     *
     * @param limit how many at most, 1 to 10,000
     */
    List<BlockedKey> blockedKeys(String queue, int limit);

    /**
     * Lets a key that {@link AfterFailure#HOLD} holds up go on without its dead jobs: the next one starts at once. They stay dead, with
     * payload and errors, and can be redriven or discarded later. A redriven one runs after jobs that were enqueued later, and holds up the others of
     * its key until it has ended. A job that dies later holds up the key again.
     *
     * <p>A job that is not dead, but waits for a retry or snoozes, is not skipped: {@linkplain dev.rowlock.queue.JobAdmin#cancel(long) cancel} it.
     *
     * @return how many jobs no longer hold up the key; 0: no dead one did, and nothing has changed
     */
    int skip(String queue, String key);

    /**
     * Keys of a queue of which as many jobs run as {@link QueueLimit#maxRunningPerKey} allows while others are ready, those with the most such jobs
     * first. Empty where nothing limits keys. It reads all running jobs of the queue.
     *
     * @param limit how many at most, 1 to 10,000
     */
    List<FullKey> fullKeys(String queue, int limit);
}
