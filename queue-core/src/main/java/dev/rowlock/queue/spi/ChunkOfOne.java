package dev.rowlock.queue.spi;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.job.JobContext;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs one job as a chunk by itself, with the outcome that the job would have had among others. */
record ChunkOfOne(ChunkHandler chunks) implements JobHandler {

    @Override
    public @Nullable Object handle(JobContext context, String payload) throws Throwable {
        List<ChunkJob<Object>> alone = List.of(new ChunkJob<>(chunks.read(payload), context));
        ChunkResult result;
        try {
            result =
                    Objects.requireNonNull(chunks.handle(alone), "the listener returned null instead of a ChunkResult");
        } catch (ChunkFailedException e) {
            throw e.failed().keySet().equals(Set.of(context.id())) ? e.failed().get(context.id()) : e;
        }
        return result.allCompleted() ? null : ofJob(context.id(), result);
    }

    private static @Nullable Object ofJob(long id, ChunkResult result) throws Throwable {
        Throwable failure = result.failed().get(id);
        if (failure != null) {
            throw failure;
        }
        if (!result.completed().containsKey(id)) {
            throw new JobNotReportedException(id);
        }
        return result.completed().get(id);
    }
}
