package dev.rowlock.queue.internal.claim.key;

import java.time.Duration;

/**
 * When to look for a queue's jobs with keys: with each claim for a while after there was one, and otherwise when the last look
 * has said so, for example because a rate allows the next job then. Used by one thread at a time, but for {@link #heard} and {@link #recent}.
 */
public final class KeyLooks {

    /** Jobs are claimed ahead that threads begin so soon: while one waits here, no other one of its key can begin elsewhere. */
    private static final Duration AHEAD = Duration.ofMillis(10);

    private static final Duration FURTHEST = Duration.ofMillis(100);

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.3;

    private final Duration kept;
    private final Duration pollInterval;
    private volatile long seenAt; // when there was such a job; 0: never
    private volatile long heardAt; // the same of word that there is one
    private long begunAt = System.nanoTime(); // of the last look
    private double took; // a look, lately, in nanoseconds
    private long nextAt = System.nanoTime();
    private boolean awaited = true; // whether that is sooner than the queue is polled

    /** @param kept how long to look with each claim after there was such a job */
    public KeyLooks(Duration kept, Duration pollInterval) {
        this.kept = kept;
        this.pollInterval = pollInterval;
    }

    /** There are such jobs, or there is room for some. Any thread. */
    public void heard() {
        heardAt = System.nanoTime();
        seenAt = heardAt;
    }

    /** When there was word of such jobs; 0: never. */
    public long heardAt() {
        return heardAt;
    }

    /** Whether there was word of such jobs at this time or later. Any thread. */
    public boolean heardSince(long time) {
        long heard = heardAt;
        return heard != 0 && heard - time >= 0;
    }

    /** There were such jobs at this time. */
    public void seen(long at) {
        seenAt = at;
    }

    /** Whether there was such a job lately. Any thread. */
    public boolean recent() {
        return seenAt != 0 && System.nanoTime() - seenAt < kept.toNanos();
    }

    /** How far ahead of threads jobs are claimed: those that begin before the next look could bring others. */
    public Duration ahead() {
        Duration ahead = AHEAD.plusNanos((long) (2 * took));
        return ahead.compareTo(FURTHEST) < 0 ? ahead : FURTHEST;
    }

    /** Somebody has looked and, unless there is word of such jobs, need not do so before this time is over. Returns that time. */
    public Duration next(Duration rest) {
        long now = System.nanoTime();
        took += NEWEST * (now - begunAt - took);
        awaited = rest.compareTo(pollInterval) < 0;
        nextAt = now + rest.toNanos();
        return rest;
    }

    /** A look begins. */
    public void begin() {
        begunAt = System.nanoTime();
    }

    /** Whether that time is over, or there was word of such jobs since the last look has begun. */
    public boolean wanted() {
        return System.nanoTime() - nextAt >= 0 || heardSince(begunAt);
    }

    /** How long that is; negative if it is over. */
    public Duration untilDue() {
        return Duration.ofNanos(nextAt - System.nanoTime());
    }

    /** Whether a look must come sooner than the queue is polled. */
    public boolean awaited() {
        return awaited;
    }
}
