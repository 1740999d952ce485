package dev.rowlock.queue.spi;

import java.lang.reflect.Type;

/**
 * Turns payloads and results into JSON and back. Headers are stored as plain JSON without it. Thread-safe.
 */
public interface PayloadCodec {

    /** Returns the value as one JSON document, or throws a {@link PayloadException}. */
    String encode(Object value);

    /** Returns the document as an object of this type, or throws a {@link PayloadException}. */
    Object decode(String json, Type type);

    /**
     * Called at the start for the payload of each listener: throws a {@link PayloadException} if payloads of this type must
     * not be. The application then does not start.
     */
    default void check(Type type) {}

    /**
     * Called with what {@link #encode} has made of a payload that is to be enqueued, or of a checkpoint: throws a {@link PayloadException} if it
     * could not be read again as an object of its class. It is then not stored. A codec may look at the first documents of each class only, and need
     * not look at all: it may be one that only writes.
     */
    default void checkReadable(String json, Class<?> written) {}
}
