package dev.rowlock.queue.spi;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import java.util.List;

/**
 * A listener of chunks as a lambda: {@code jobs -> index.bulk(jobs)}. Called by several threads at once.
 *
 * @param <P> the payload's class
 */
@FunctionalInterface
public interface ChunkPayloadHandler<P> {

    /**
     * Runs the jobs, and says what became of each; {@link ChunkResult#ALL_COMPLETED} if all is well. What it throws, other
     * than a {@link dev.rowlock.queue.chunk.ChunkFailedException}, splits the chunk.
     */
    ChunkResult handle(List<ChunkJob<P>> jobs) throws Exception;
}
