package dev.rowlock.queue.spi;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import java.util.List;

/** The code that runs many jobs in one call. Called by several threads at once, each with jobs of its own. */
@FunctionalInterface
public interface ChunkHandler {

    /**
     * Reads a payload before the call. What it throws fails that job alone.
     *
     * @param json as it was enqueued
     * @return what {@link ChunkJob#payload} is in {@link #handle}; the JSON itself by default
     */
    default Object read(String json) {
        return json;
    }

    /**
     * Runs these jobs: at least one, and no more than the listener's batch. What it throws, other than a {@link
     * dev.rowlock.queue.chunk.ChunkFailedException}, splits the chunk.
     */
    ChunkResult handle(List<ChunkJob<Object>> jobs) throws Throwable;
}
