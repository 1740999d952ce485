package dev.rowlock.queue.internal.run;

import java.util.function.Function;

/**
 * Chunk settings of a queue.
 *
 * @param idle how many jobs to claim for a thread that has none
 * @param chunks made for the queue's threads
 */
public record ChunkPlan(int idle, Function<Workplace, Chunks> chunks) {

    /** Each job runs alone. */
    public static final ChunkPlan NONE = new ChunkPlan(1, workplace -> Chunks.NONE);
}
