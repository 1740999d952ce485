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

    private final AsyncContext context;
    private final ServletOutputStream out;
    private final long sinceNanos = System.nanoTime();
    private final @Nullable Long job;
    private final Map<String, byte[]> pending = new LinkedHashMap<>(); // guarded by this
    private boolean writable; // guarded by this; false until the container says so
    private boolean unflushed; // guarded by this
    private volatile boolean gone;

    /** @param job that this viewer looks at; null: none */
    Viewer(AsyncContext context, ServletOutputStream out, @Nullable Long job) {
        this.context = context;
        this.out = out;
        this.job = job;
    }

    @Nullable
    Long job() {
        return job;
    }

    boolean gone() {
        return gone;
    }

    long ageNanos() {
        return System.nanoTime() - sinceNanos;
    }

    void send(String event, String data) {
        byte[] text = "event: %s\ndata: %s\n\n".formatted(event, data).getBytes(StandardCharsets.UTF_8);
        synchronized (this) {
            pending.put(event, text);
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
            end();
        }
    }

    @Override
    public void onError(Throwable t) {
        end();
    }

    void end() {
        if (gone) {
            return;
        }
        gone = true;
        try {
            context.complete();
        } catch (RuntimeException e) {
            // The container has ended it already.
        }
    }
}
