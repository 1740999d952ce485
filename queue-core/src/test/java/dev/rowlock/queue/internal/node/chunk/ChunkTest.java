package dev.rowlock.queue.internal.node.chunk;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** Listeners of chunks, which note their calls. */
abstract class ChunkTest extends NodeTest {

    static final Duration LONG = Duration.ofSeconds(10);

    static final ChunkHandler WELL = jobs -> ChunkResult.ALL_COMPLETED;

    final Calls calls = new Calls();

    static UnaryOperator<ListenerDefinition> batch(int batch, Duration linger) {
        return listener -> listener.batch(batch).linger(linger);
    }

    void runs(int batch, Duration linger, ChunkHandler handler) {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    return handler.handle(jobs);
                },
                batch(batch, linger));
    }
}
