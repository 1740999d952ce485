package dev.rowlock.queue.benchmark.peer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued.
 *
 * @param seq tells jobs of a run apart; from 0 on
 * @param priority higher runs first
 * @param delay zero for at once
 * @param text fills the payload
 * @param key by which limits count; null: none
 */
public record Job(
        long seq,
        int priority,
        Duration delay,
        String text,
        @Nullable String key) {

    /** With this text the payload has about 100 bytes as JSON. */
    public static final String TEXT = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod";

    /** Without a key. */
    public Job(long seq, int priority, Duration delay, String text) {
        this(seq, priority, delay, text, null);
    }

    /** One of so many keys, by turns. */
    public static Job ofKeys(long seq, int keys) {
        return new Job(seq, 0, Duration.ZERO, TEXT, key(seq % keys));
    }

    /** The key with this number, from 0. */
    public static String key(long number) {
        return "tenant-" + number;
    }

    public static Job of(long seq) {
        return new Job(seq, 0, Duration.ZERO, TEXT);
    }

    /** With a text that no other job shares, as jobs read from a file have: holding such jobs takes its memory. */
    public static Job ofItsOwn(long seq) {
        return new Job(seq, 0, Duration.ZERO, TEXT + seq);
    }

    /** The payload as JSON; the text must need no escapes. */
    public String json() {
        return "{\"seq\":" + seq + ",\"text\":\"" + text + "\"}";
    }

    /** Reads the sequence number from what {@link #json} returned, the way a listener that wants nothing else would. */
    public static long seq(String json) {
        int begin = json.indexOf(':') + 1;
        while (json.charAt(begin) == ' ') {
            begin++; // jsonb lays out anew
        }
        int end = begin;
        while (Character.isDigit(json.charAt(end))) {
            end++;
        }
        return Long.parseLong(json, begin, end, 10);
    }
}
