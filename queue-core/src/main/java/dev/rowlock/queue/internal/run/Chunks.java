package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How the threads of a queue run jobs of some of its listeners together, in one call. Thread-safe. */
final class Chunks {

    private final Workplace place;
    private final ChunkServices services;
    private final List<Gathering> gatherings;
    private final Map<String, Gathering> byType = new HashMap<>();

    Chunks(List<ListenerDefinition> listeners, Workplace place, ChunkServices services) {
        this.place = place;
        this.services = services;
        this.gatherings = listeners.stream()
                .map(listener -> new Gathering(listener, place))
                .toList();
        gatherings.forEach(gathering -> gathering.listener().types().forEach(type -> byType.put(type, gathering)));
    }

    /**
     * Runs this job, perhaps with others, on the calling thread, and settles all of them; or leaves it to a thread that gathers
     * jobs. False: its listener runs one job at a time, and nothing has happened.
     */
    boolean run(int thread, Execution first) {
        Gathering gathering = byType.get(first.job().type());
        if (gathering == null || Headers.alone(first.job().headers())) {
            return false;
        }
        try {
            List<Execution> chunk = gathering.gather(thread, first);
            if (!chunk.isEmpty()) {
                run(thread, gathering.listener(), chunk);
            }
        } finally {
            place.leave(thread);
        }
        return true;
    }

    private void run(int thread, ListenerDefinition listener, List<Execution> chunk) {
        try {
            new ChunkRun(thread, listener, place, services).run(chunk);
        } catch (RuntimeException | Error e) {
            // They must not stay in our hands, nor come back at once.
            chunk.forEach(execution -> place.settle(execution, Gathering.ASIDE, Duration.ZERO));
            throw e;
        }
    }

    /** There are more jobs that wait for a thread. */
    void arrived() {
        gatherings.forEach(Gathering::look);
    }

    /** Takes out the jobs that threads have gathered and not begun. */
    List<Execution> takeGathered() {
        return gatherings.stream()
                .flatMap(gathering -> gathering.takeAll().stream())
                .toList();
    }
}
