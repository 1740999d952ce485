package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes since when a repeated task fails. One thread at a time runs the task; any thread may read. */
public final class Failing {

    /** What fails for longer is not a moment without a connection. */
    public static final Duration LASTING = Duration.ofSeconds(30);

    private static final Duration TELL_AGAIN = Duration.ofHours(1);

    private final LongSupplier clock;
    private volatile @Nullable Spell spell; // null: the last try worked

    public Failing() {
        this(System::nanoTime);
    }

    /** @param clock monotonic, in nanoseconds */
    Failing(LongSupplier clock) {
        this.clock = clock;
    }

    /** A try has worked. */
    public void worked() {
        if (spell != null) {
            spell = null;
        }
    }

    /** A try has failed. Returns whether somebody should be told: of the first one, and then each hour. */
    public boolean failed() {
        long now = clock.getAsLong();
        Spell before = spell;
        boolean tell = before == null || now - before.toldAt >= TELL_AGAIN.toNanos();
        spell = new Spell(before == null ? now : before.firstAt, now, before == null || tell ? now : before.toldAt);
        return tell;
    }

    /** Whether the last try failed. */
    public boolean now() {
        return spell != null;
    }

    /** Whether all tries have failed for longer than {@link #LASTING}, from the first to the last. */
    public boolean lasting() {
        Spell current = spell;
        return current != null && current.lastAt - current.firstAt > LASTING.toNanos();
    }

    /** Failures without a success in between. */
    private record Spell(long firstAt, long lastAt, long toldAt) {}
}
