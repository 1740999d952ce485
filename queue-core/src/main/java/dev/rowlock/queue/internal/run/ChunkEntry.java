package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.job.ClaimedJob;
import org.jspecify.annotations.Nullable;

/** One job of a chunk. Its thread only. */
final class ChunkEntry {

    private final Execution execution;
    private @Nullable Object payload; // once it has been read

    ChunkEntry(Execution execution) {
        this.execution = execution;
    }

    Execution execution() {
        return execution;
    }

    ClaimedJob job() {
        return execution.job();
    }

    long id() {
        return execution.job().id();
    }

    boolean stopped() {
        return execution.stopped() != Stop.NONE;
    }

    @Nullable
    Object payload() {
        return payload;
    }

    void payload(Object read) {
        payload = read;
    }
}
