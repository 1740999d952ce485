package dev.rowlock.queue.chaos.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * How a worker's processes are started.
 *
 * @param folder for logs
 * @param fresh whether it runs the new version of the application
 */
public record WorkerSetup(
        Path folder,
        int concurrency,
        Duration lease,
        Duration heartbeat,
        Duration drain,
        boolean fresh,
        Map<String, String> environment) {

    /** A lease of three seconds, so that a run sees many of them run out. */
    public static WorkerSetup quick(Path folder) {
        return new WorkerSetup(
                folder, 8, Duration.ofSeconds(3), Duration.ofMillis(500), Duration.ofSeconds(4), true, Map.of());
    }

    public WorkerSetup withLease(Duration duration, Duration beat) {
        return new WorkerSetup(folder, concurrency, duration, beat, drain, fresh, environment);
    }

    public WorkerSetup withConcurrency(int handlers) {
        return new WorkerSetup(folder, handlers, lease, heartbeat, drain, fresh, environment);
    }

    public WorkerSetup old() {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, false, environment);
    }

    public WorkerSetup withEnvironment(Map<String, String> more) {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, fresh, more);
    }
}
