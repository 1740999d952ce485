package dev.rowlock.queue.chaos.law;

import org.jspecify.annotations.Nullable;

/** Something that happened and must not. */
public record Violation(String promise, String what) {

    public static Violation of(String promise, String what, @Nullable Object... values) {
        return new Violation(promise, what.formatted(values));
    }

    @Override
    public String toString() {
        return promise + ": " + what;
    }
}
