package dev.rowlock.queue.chunk;

import java.util.Map;

/**
 * Some jobs of a chunk failed, and all others are completed.
 *
 * <p>Each failed job has its own exception, which decides as if its listener had thrown it. An exception that names a job of
 * another chunk, or none, says nothing that can be relied on: it counts as any other exception, and the chunk is split.
 */
public class ChunkFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Map<Long, Throwable> failed;

    /** @param failed why, by the job's id */
    public ChunkFailedException(Map<Long, ? extends Throwable> failed) {
        super(
                "%d jobs of the chunk failed".formatted(failed.size()),
                failed.values().stream().findFirst().orElse(null));
        this.failed = Map.copyOf(failed);
    }

    /** Why jobs failed, by id. */
    public Map<Long, Throwable> failed() {
        return failed == null ? Map.of() : failed; // null after serialization
    }
}
