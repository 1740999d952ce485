package dev.rowlock.queue.chaos.proxy;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** Decides at which moment a connection breaks. Asked by several threads. */
public interface Cut {

    /** What becomes of a piece of data. */
    enum Verdict {
        PASS,
        /** The connection breaks before the data has passed. */
        BREAK_BEFORE,
        /** The data passes to the server; the answer to it never arrives. */
        BREAK_BEFORE_ANSWER
    }

    Cut NEVER = text -> Verdict.PASS;

    /** What to do with data from the client; {@code text} is all of it, read as Latin-1. */
    Verdict judge(String text);

    /** Breaks one connection, once, when the client sends this. */
    static Cut once(String containing, Verdict verdict) {
        AtomicBoolean done = new AtomicBoolean();
        return text -> text.contains(containing) && done.compareAndSet(false, true) ? verdict : Verdict.PASS;
    }

    /** The data as text. */
    static String text(byte[] data, int length) {
        return new String(data, 0, length, StandardCharsets.ISO_8859_1);
    }
}
