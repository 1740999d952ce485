package dev.rowlock.queue.dashboard.live;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One open stream. Writes without blocking: what the browser has not taken yet is replaced by newer events of the same kind. */
final class Viewer implements WriteListener {

    private final String user;
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final long sinceNanos = System.nanoTime();
    private final @Nullable Long job;
    private final @Nullable Long workflow;
    private final Map<String, byte[]> pending = new LinkedHashMap<>(); // guarded by this
    private boolean writable; // guarded by this; false until the container says so
    private boolean unflushed; // guarded by this
    private boolean completed; // guarded by this
    private volatile boolean gone;
    private boolean greeted; // the feed's thread only
    private @Nullable String lastSent; // the feed's thread only

    /**
     * @param job that this viewer looks at; null: none
     * @param workflow the same
     */
    Viewer(String user, AsyncContext context, ServletOutputStream out, @Nullable Long job, @Nullable Long workflow) {
        this.user = user;
        this.context = context;
        this.out = out;
        this.job = job;
        this.workflow = workflow;
    }

    String user() {
        return user;
    }

    @Nullable
    Long job() {
        return job;
    }

    @Nullable
    Long workflow() {
        return workflow;
    }

    boolean gone() {
        return gone;
    }

    long ageNanos() {
        return System.nanoTime() - sinceNanos;
    }

    boolean greeted() {
        return greeted;
    }

    /** From now on it hears of changes. One thread at a time. */
    void greet(Map<String, String> known) {
        known.forEach(this::send);
        greeted = true;
    }

    /** One thread at a time. */
    void sendIfNew(String event, String data) {
        if (!data.equals(lastSent)) {
            lastSent = data;
            send(event, data);
        }
    }

    void send(String event, String data) {
        keep(event, "event: %s\ndata: %s\n\n".formatted(event, data));
    }

    /** A comment, which the browser passes over: only a write shows that nobody reads any more. */
    void touch() {
        keep("", ":\n\n");
    }

    private void keep(String event, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        synchronized (this) {
            pending.put(event, bytes);
            drain();
        }
    }

    @Override
    public synchronized void onWritePossible() {
        writable = true;
        drain();
    }

    /** The container must not be asked again between its "not ready" and its call of {@link #onWritePossible}. */
    private void drain() {
        try {
            while (writable && !gone) {
                if (!out.isReady()) {
                    writable = false;
                } else if (unflushed) {
                    unflushed = false;
                    out.flush();
                } else if (pending.isEmpty()) {
                    return;
                } else {
                    Iterator<byte[]> next = pending.values().iterator();
                    byte[] text = next.next();
                    next.remove();
                    unflushed = true;
                    out.write(text);
                }
            }
        } catch (IOException | RuntimeException e) {
            gone = true; // The container calls its listener, which ends the stream.
        }
    }

    @Override
    public synchronized void onError(Throwable t) {
        gone = true;
    }

    /** Ends the stream: because it is old, because the application stops, or because the container says that it is broken. */
    synchronized void end() {
        gone = true;
        if (!completed) {
            completed = true;
            try {
                context.complete();
            } catch (RuntimeException e) {
                // The container has ended it already.
            }
        }
    }

    /** The container has ended it. From now on the context may belong to another request: it must not be touched. */
    synchronized void ended() {
        gone = true;
        completed = true;
    }
}
