package dev.rowlock.queue.internal.text;

/** A number of things: {@code 1 job} and {@code 2 jobs}. */
public final class CountText {

    private CountText() {}

    /** @param thing a noun whose plural ends with an s */
    public static String of(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
