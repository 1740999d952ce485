package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.util.concurrent.locks.LockSupport;

/** A codec that does well, except with values that ask for the opposite. */
final class RudeCodec implements PayloadCodec {

    private static final long LONG = 700_000_000L;

    private final PayloadCodec polite;

    RudeCodec(PayloadCodec polite) {
        this.polite = polite;
    }

    /** A value that this codec treats badly; how, the number says. */
    record Victim(int number) {

        /** How many ways there are. */
        static final int WAYS = 6;
    }

    @Override
    @SuppressWarnings("NullAway") // that is one of the ways
    public String encode(Object value) {
        if (!(value instanceof Victim victim)) {
            return polite.encode(value);
        }
        return switch (victim.number()) {
            case 0 -> throw new IllegalArgumentException("not what a codec should throw");
            case 1 -> throw new StackOverflowError("as if the value pointed to itself");
            case 2 -> null;
            case 3 -> "{\"not\": json";
            case 4 -> {
                Thread.currentThread().interrupt();
                yield "4";
            }
            default -> {
                LockSupport.parkNanos(LONG);
                yield "5";
            }
        };
    }

    @Override
    public Object decode(String json, Type type) {
        return polite.decode(json, type);
    }
}
