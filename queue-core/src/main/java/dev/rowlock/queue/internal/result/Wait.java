package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** An awaited job, with all futures of this process that wait for it. Guarded by the lock of {@link Waits}. */
final class Wait {

    static final long SOON = Duration.ofMillis(20).toNanos();
    private static final long LONGEST = Duration.ofSeconds(1).toNanos();
    private static final int PART_OF_AGE = 8;
    private static final long ANNOUNCED_AGAIN = Duration.ofSeconds(10).toNanos();

    private final long id;
    private final long shortest;
    private final long begun;
    private final List<CompletableFuture<Ended>> waiting = new ArrayList<>();
    private final List<CompletableFuture<Ended>> joined =
            new ArrayList<>(); // since a look began, whose answer may be older than what they know
    private long nextLook;
    private boolean announced;
    private long announcedAt;
    private boolean wasNowhere;
    private boolean asked; // and nothing was heard since

    /** @param shortest rest between two looks, in nanos */
    Wait(long id, long now, long shortest) {
        this.id = id;
        this.shortest = shortest;
        this.begun = now;
        this.nextLook = now;
    }

    long id() {
        return id;
    }

    long nextLook() {
        return nextLook;
    }

    /** Only for {@link LookOrder}, which goes by it. */
    void lookAt(long when) {
        nextLook = when;
    }

    void join(CompletableFuture<Ended> end) {
        joined.add(end);
        newer();
    }

    /** Returns whether nobody waits any more. */
    boolean leave(CompletableFuture<?> end) {
        return (waiting.remove(end) || joined.remove(end)) && waiting.isEmpty() && joined.isEmpty();
    }

    /** All who wait. */
    List<CompletableFuture<Ended>> all() {
        return Stream.concat(waiting.stream(), joined.stream()).toList();
    }

    /** Those for whom the answer of the look is new. They wait no longer. */
    List<CompletableFuture<Ended>> answered() {
        List<CompletableFuture<Ended>> answered = List.copyOf(waiting);
        waiting.clear();
        wasNowhere = false;
        return answered;
    }

    /** Whether a future has joined since the look began. */
    boolean hasNewcomers() {
        return !joined.isEmpty();
    }

    /** A look begins. Its answer counts unless something newer is {@linkplain #newer known} meanwhile. */
    void asked() {
        asked = true;
        waiting.addAll(joined);
        joined.clear();
    }

    boolean answerCounts() {
        return asked;
    }

    /** Something has happened: who is asked now knows more than who was asked before. */
    void newer() {
        asked = false;
    }

    /**
     * It has not ended: the longer it has not, the more rarely it is asked for. Returns when to look again.
     *
     * @param atLeast nanos until then, or there would be more to ask than looks can
     */
    long lives(long now, long atLeast) {
        wasNowhere = false;
        long byAge = Math.min(LONGEST, (now - begun) / PART_OF_AGE);
        return now + Math.max(shortest, Math.max(atLeast, byAge));
    }

    /**
     * Whether it certainly is in no room. A partition of done that is attached between a statement's plan and its snapshot hides its
     * jobs from that statement; and who waits may know the id a moment before it is committed. If not, it is to be looked at {@link #SOON}.
     */
    boolean nowhere() {
        boolean again = wasNowhere;
        wasNowhere = true;
        return again;
    }

    /** Whether to announce this wait to other nodes now. */
    boolean announce(long now) {
        if (announced && now - announcedAt < ANNOUNCED_AGAIN) {
            return false;
        }
        announced = true;
        announcedAt = now;
        return true;
    }
}
