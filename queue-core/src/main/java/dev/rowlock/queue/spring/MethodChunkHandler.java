package dev.rowlock.queue.spring;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.spi.ChunkHandler;
import java.util.List;

/** Runs many jobs by one call of a bean's method. */
final class MethodChunkHandler implements ChunkHandler {

    private final ListenerCall call;
    private final ListenerMethod listener;
    private final boolean reports;

    /** @throws IllegalArgumentException if the codec refuses payloads of that type */
    MethodChunkHandler(ListenerCall call, ListenerMethod listener) {
        this.call = call;
        this.listener = listener;
        this.reports = SuspendFunctions.returned(listener.method()) == ChunkResult.class;
        call.requireReadable(listener.payload());
    }

    @Override
    public Object read(String json) {
        return call.decode(json, listener.payload());
    }

    @Override
    @SuppressWarnings("NullAway") // a null that a method returns instead of a result is refused by whoever gets it
    public ChunkResult handle(List<ChunkJob<Object>> jobs) throws Throwable {
        Object[] arguments = call.arguments();
        arguments[listener.payloadIndex()] = listener.shape() == ListenerMethod.Shape.CHUNK_OF_JOBS
                ? jobs
                : jobs.stream().map(ChunkJob::payload).toList();
        Object returned = call.invoke(arguments);
        return reports ? (ChunkResult) returned : ChunkResult.ALL_COMPLETED;
    }
}
