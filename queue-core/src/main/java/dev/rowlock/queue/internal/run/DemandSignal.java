package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.thread.Signal;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Wakes the claimer, which had no demand for jobs of a kind, once it may have some. Thread-safe. */
final class DemandSignal {

    private static final int NONE = -1;

    private final HeldJobs held;
    private final Buffer buffer;
    private final Signal signal = new Signal();
    // By kind; written by the claimer, reset by whoever signals.
    private final AtomicIntegerArray mostHeld = new AtomicIntegerArray(new int[] {NONE, NONE});
    private final AtomicIntegerArray mostWaiting = new AtomicIntegerArray(new int[] {NONE, NONE});

    DemandSignal(HeldJobs held, Buffer buffer) {
        this.held = held;
        this.buffer = buffer;
    }

    Signal signal() {
        return signal;
    }

    /** There may be demand once no more than so many jobs of whatever kind are held. */
    void whenHeld(Kind kind, int most) {
        mostHeld.set(kind.ordinal(), most);
    }

    /** There may be demand once no more than so many jobs of this kind wait for a thread. */
    void whenWaiting(Kind kind, int most) {
        mostWaiting.set(kind.ordinal(), most);
    }

    /** Whether there may be demand by now that there was not. */
    boolean reached() {
        return reached(Kind.PLAIN) || reached(Kind.KEYED);
    }

    private boolean reached(Kind kind) {
        int waiting = mostWaiting.get(kind.ordinal());
        return held.unsettled() <= mostHeld.get(kind.ordinal()) || waiting != NONE && buffer.size(kind) <= waiting;
    }

    /** Whether somebody waits for that. */
    boolean awaited() {
        return awaited(Kind.PLAIN) || awaited(Kind.KEYED);
    }

    private boolean awaited(Kind kind) {
        return mostHeld.get(kind.ordinal()) != NONE || mostWaiting.get(kind.ordinal()) != NONE;
    }

    void raise() {
        for (Kind kind : Kind.values()) {
            mostHeld.set(kind.ordinal(), NONE);
            mostWaiting.set(kind.ordinal(), NONE);
        }
        signal.raise();
    }
}
