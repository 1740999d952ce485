package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What a handler may throw or return, although nobody can do anything with it. */
final class Oddities {

    /** How many different exceptions there are. */
    static final int EXCEPTIONS = 7;

    private static final long LONG = 700_000_000L;

    /** Whose nonsense was a snooze on this node: once is enough, since a snooze is no attempt and could go on for ever. */
    private static final Set<Integer> SNOOZED = ConcurrentHashMap.newKeySet();

    private Oddities() {}

    /** A failure like any other, once its words are written down. */
    static RuntimeException failure(int number) {
        return switch (number % EXCEPTIONS) {
            case 0 -> new IllegalStateException((String) null);
            case 1 -> new IllegalStateException("NUL \0, half a pair \ud83d, escape \u001b");
            case 2 -> new IllegalStateException("long ".repeat(400_000));
            case 3 ->
                new Mute(() -> {
                    throw new UnsupportedOperationException("it does not say");
                });
            case 4 ->
                new Mute(() -> {
                    Thread.currentThread().interrupt();
                    return "interrupts who asks";
                });
            case 5 ->
                new Mute(() -> {
                    LockSupport.parkNanos(LONG);
                    return "says it late";
                });
            default -> new Mute(() -> null);
        };
    }

    /** Something that cannot become a result, or throws what came through serialization without its time. */
    static Object nonsense(int number) throws IOException, ClassNotFoundException {
        int kind = number % (5 + RudeCodec.Victim.WAYS);
        return switch (kind) {
            case 0 -> {
                if (SNOOZED.add(number)) {
                    throw (SnoozeException) copy(new SnoozeException(Duration.ofMillis(100)));
                }
                yield Map.of();
            }
            case 1 -> throw (RetryLaterException) copy(new RetryLaterException("later", Duration.ofMillis(100), null));
            case 2 -> new Speechless();
            case 3 -> Map.of("result", "NUL \0");
            case 4 -> "x".repeat(2 << 20);
            default -> new RudeCodec.Victim(kind - 5);
        };
    }

    private static Object copy(Object original) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(original);
        }
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            return objects.readObject();
        }
    }

    private interface Words {
        @Nullable
        String say();
    }

    private static final class Mute extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final transient Words words;

        Mute(Words words) {
            super("never asked", null);
            this.words = words;
        }

        @Override
        public @Nullable String getMessage() {
            return words.say();
        }

        @Override
        public void printStackTrace(PrintWriter out) {
            throw new IllegalStateException("no trace either");
        }
    }

    /** Its only property throws an error. */
    static final class Speechless {

        public String getWord() {
            throw new StackOverflowError("as if it pointed to itself");
        }
    }
}
