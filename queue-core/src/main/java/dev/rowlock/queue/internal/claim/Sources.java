package dev.rowlock.queue.internal.claim;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Where a queue's next jobs come from: those without keys, and those with keys. A kind is looked for if it has brought jobs, if
 * something was heard of it, and as often as the queue is polled. Where both are to be looked for, the one comes first that has had less of the threads, and neither takes more than its
 * share of them before it is known that the other one leaves some. Used by one thread at a time, but for what is heard.
 */
final class Sources {

    private final QueueConsumer consumer;
    private final KeyedClaims keyed;
    private final RecentClaims plain;
    private final Duration pollInterval;
    private volatile boolean heard = true; // of jobs without keys, since the last look for them
    private long lookedAt = System.nanoTime(); // for jobs without keys

    /** @param plain what the last claims of jobs without keys have brought */
    Sources(QueueConsumer consumer, KeyedClaims keyed, RecentClaims plain, Duration pollInterval) {
        this.consumer = consumer;
        this.keyed = keyed;
        this.plain = plain;
        this.pollInterval = pollInterval;
    }

    /** There may be jobs without keys. Any thread. */
    void heard() {
        heard = true;
        if (keyed.limited()) {
            keyed.heard(); // which claims those without keys too
        }
    }

    /** There may be jobs of both kinds. Any thread. */
    void heardOfAll() {
        heard = true;
        if (keyed.active()) {
            keyed.heard();
        }
    }

    /** A look for jobs without keys begins: what is heard from now on may be too late for it. */
    void looks() {
        heard = false;
        lookedAt = System.nanoTime();
    }

    /**
     * Looks at one or at both. Returns how long to wait before the next look.
     *
     * @param ofPlain claims jobs without keys
     * @param withKeys claims the others
     */
    Duration next(Supplier<Duration> ofPlain, Supplier<Duration> withKeys) {
        boolean keys = keyed.due();
        if (keyed.active() && !heard && plain.anyEmpty() && untilPoll().compareTo(Duration.ZERO) > 0) {
            return Rests.shorter(keys ? look(withKeys) : keyed.untilDue(), untilPoll());
        }
        if (!keys) {
            return Rests.shorter(look(ofPlain), keyed.untilDue());
        }
        contend();
        boolean keysFirst = (keyed.active() || plain.full()) && consumer.behind() == Kind.KEYED;
        Duration first = look(keysFirst ? withKeys : ofPlain);
        Duration rest = Rests.shorter(first, look(keysFirst ? ofPlain : withKeys));
        contend(); // what one kind has not taken, the other one may
        return rest;
    }

    private Duration look(Supplier<Duration> kind) {
        contend();
        return kind.get();
    }

    /** Says whether both kinds may have more jobs that wait. */
    private void contend() {
        consumer.contended(keyed.limited() ? keyed.contended() : keyed.due() && wantsPlain());
    }

    private boolean wantsPlain() {
        return heard || plain.full() || keyed.active() && untilPoll().isNegative();
    }

    private Duration untilPoll() {
        return Duration.ofNanos(lookedAt + pollInterval.toNanos() - System.nanoTime());
    }
}
