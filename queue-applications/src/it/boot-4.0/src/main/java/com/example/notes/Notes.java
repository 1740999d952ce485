package com.example.notes;

import dev.rowlock.queue.JobListener;
import io.micrometer.tracing.Tracer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

@Component
class Notes {

    /** What was written, and in which trace. */
    record Written(String text, String traceId) {}

    final BlockingQueue<Written> written = new LinkedBlockingQueue<>();

    private final Tracer tracer;

    Notes(Tracer tracer) {
        this.tracer = tracer;
    }

    @JobListener(queue = "notes", transactional = true)
    void write(Note note) {
        written.add(new Written(note.text(), tracer.currentSpan().context().traceId()));
    }
}
