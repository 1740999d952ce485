package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.UUID;

/** The text of a notification: {@code origin|kind|number|queue}. */
final class WakeupMessage {

    private WakeupMessage() {}

    /** A name for a sender that no other has. */
    static String newOrigin() {
        return UUID.randomUUID().toString().substring(0, 13);
    }

    static String ready(String origin, String queue, int rank) {
        return origin + "|r|" + rank + "|" + queue;
    }

    static String waiting(String origin, Duration dueIn) {
        return origin + "|w|" + dueIn.toMillis() + "|";
    }

    static String attention(String origin) {
        return origin + "|a|0|";
    }

    /** Does what the message says. Ignores those of this origin, and anything that is no message of ours. */
    static void deliver(String message, String own, Wakeups to) {
        String[] parts = message.split("\\|", 4);
        if (parts.length != 4 || parts[0].equals(own)) {
            return;
        }
        try {
            long number = Long.parseLong(parts[2]);
            switch (parts[1]) {
                case "r" -> to.jobsReady(parts[3], (int) number);
                case "w" -> to.jobsWaiting(Duration.ofMillis(Math.max(0, number)));
                case "a" -> to.attention();
                default -> {} // of a newer version
            }
        } catch (NumberFormatException e) {
            // Anybody may notify on our channel; it costs nothing but this look.
        }
    }
}
