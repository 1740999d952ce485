package dev.rowlock.queue.benchmark.peer.rowlock;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Noop;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One listener for each queue, which decodes its payload as annotated listeners do. None before there is a crew. */
final class CrewListeners implements ListenerSource {

    /** As by default. */
    private static final int WORKERS = 10;

    private record Shift(Crew crew, Probe probe) {}

    private volatile @Nullable Shift shift; // written before the start of a node

    /** For nodes that start from now on. */
    void serve(Crew crew, Probe probe) {
        shift = new Shift(crew, probe);
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        Shift now = shift;
        if (now == null) {
            return List.of();
        }
        JobHandler handler = (context, payload) -> {
            Noop noop = (Noop) codec.decode(payload, Noop.class);
            now.probe.ran(noop.seq());
            return null;
        };
        List<ListenerDefinition> listeners = new ArrayList<>();
        for (int i = 1; i <= now.crew.queues(); i++) {
            String suffix = i == 1 ? "" : "-" + i; // the first is the one that gets jobs
            listeners.add(ListenerDefinition.of("noop" + suffix, handler)
                    .queue(JobTemplate.DEFAULT_QUEUE + suffix)
                    .concurrency(now.crew.workersOr(WORKERS))
                    .retry(retry));
        }
        return listeners;
    }

    @Override
    public @Nullable String queueOf(String type) {
        return null;
    }
}
