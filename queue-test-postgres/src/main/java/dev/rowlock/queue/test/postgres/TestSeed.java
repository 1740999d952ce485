package dev.rowlock.queue.test.postgres;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where tests draw from what they do not choose: locale and settings of the server, the time zone of the JVM, rare values of properties. One
 * seed for all tests of a JVM, which its log tells; {@code -Drowlock.test.seed=…} draws the same again.
 */
public final class TestSeed {

    /** Set before anything is drawn, it decides for the JVM. */
    public static final String PROPERTY = "rowlock.test.seed";

    private static final int LARGEST = 1_000_000;

    private static final long VALUE =
            Long.getLong(PROPERTY, ThreadLocalRandom.current().nextInt(LARGEST));

    private TestSeed() {}

    public static long value() {
        return VALUE;
    }

    /** Draws the same for the same purpose in each JVM with this seed, whatever else is drawn there and in which order. */
    public static Random random(String purpose) {
        return new Random((VALUE + purpose.hashCode()) * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
    }

    /** What makes the JVM draw the same again. */
    static String option() {
        return "-D%s=%d".formatted(PROPERTY, VALUE);
    }
}
