package dev.rowlock.queue.internal.wake;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The text of a notification: {@code origin|kind|what it says}. */
final class WakeupMessage {

    private static final long LONGEST_MILLIS = Duration.ofDays(1).toMillis();

    private WakeupMessage() {}

    /** A name for a sender that no other has. */
    static String newOrigin() {
        return UUID.randomUUID().toString().substring(0, 13);
    }

    static String ready(String origin, String queue, int rank, long jobs, int first) {
        return origin + "|r|" + rank + '|' + jobs + '|' + first + '|' + queue;
    }

    /** As {@link #ready}, where some of the jobs went back to the place that they had. */
    static String back(String origin, String queue, int rank, long jobs, int first) {
        return origin + "|b|" + rank + '|' + jobs + '|' + first + '|' + queue;
    }

    static String waiting(String origin, Duration dueIn) {
        return origin + "|w|" + dueIn.toMillis();
    }

    /** {@code look}: the sender's number of it; {@code nextDue} null: no job waits. */
    static String moved(String origin, long look, @Nullable Duration nextDue) {
        return origin + "|d|" + look + '|' + (nextDue == null ? "" : nextDue.toMillis());
    }

    static String keys(String origin, String queue, @Nullable String key, int first) {
        return origin + "|k|" + first + '|' + queue + (key == null ? "" : '|' + key);
    }

    static String attention(String origin) {
        return origin + "|a|";
    }

    /**
     * Does what the message says. Of those of this origin it only says that a look has been told of. Ignores anything that is no
     * message of ours.
     */
    static void deliver(String message, String own, RemoteWakeups to) {
        String[] parts = message.split("\\|", 3);
        if (parts.length != 3) {
            return;
        }
        boolean isOwn = parts[0].equals(own);
        try {
            if (parts[1].equals("d")) {
                deliverMoved(parts[2].split("\\|", 2), isOwn, to);
            } else if (!isOwn) {
                deliver(parts, to);
            }
        } catch (NumberFormatException e) {
            // Anybody may notify on our channel; it costs nothing but this look.
        }
    }

    private static void deliver(String[] parts, RemoteWakeups to) {
        switch (parts[1]) {
            case "r" -> deliverReady(parts[2].split("\\|", 4), false, to);
            case "b" -> deliverReady(parts[2].split("\\|", 4), true, to);
            case "w" -> to.jobsWaiting(duration(parts[2]));
            case "k" -> deliverKeys(parts[2].split("\\|", 3), to);
            case "a" -> to.attention();
            default -> {} // of a newer version
        }
    }

    /** Everybody looks long before a day is over. */
    private static Duration duration(String millis) {
        return Duration.ofMillis(Math.min(Math.max(0, Long.parseLong(millis)), LONGEST_MILLIS));
    }

    private static void deliverMoved(String[] parts, boolean own, RemoteWakeups to) {
        if (parts.length == 2 && own) {
            to.allHaveHeardOf(Long.parseLong(parts[0]));
        } else if (parts.length == 2) {
            to.dueJobsMoved(parts[1].isEmpty() ? null : duration(parts[1]));
        }
    }

    private static void deliverKeys(String[] parts, RemoteWakeups to) {
        if (parts.length >= 2) {
            to.keysReady(parts[1], parts.length == 2 ? null : parts[2], Integer.parseInt(parts[0]));
        }
    }

    private static void deliverReady(String[] parts, boolean back, RemoteWakeups to) {
        if (parts.length == 4) {
            int rank = Integer.parseInt(parts[0]);
            long jobs = Long.parseLong(parts[1]);
            int first = Integer.parseInt(parts[2]);
            if (back) {
                to.jobsBack(parts[3]);
            }
            to.jobsReady(parts[3], rank, jobs, first);
        }
    }
}
