package dev.rowlock.queue.chaos.cluster;

import dev.rowlock.queue.chaos.worker.Trait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * How a worker's processes are started.
 *
 * @param folder for logs
 * @param fresh whether it runs the new version of the application
 * @param classPath where its classes are, such as those of another version of Rowlock; empty: where those of this process are
 */
public record WorkerSetup(
        Path folder,
        int concurrency,
        Duration lease,
        Duration heartbeat,
        Duration drain,
        boolean fresh,
        Map<String, String> environment,
        Supplier<Set<Trait>> traits,
        String classPath) {

    /** A lease of three seconds, so that a run sees many of them run out. */
    public static WorkerSetup quick(Path folder) {
        return new WorkerSetup(
                folder,
                8,
                Duration.ofSeconds(3),
                Duration.ofMillis(500),
                Duration.ofSeconds(4),
                true,
                Map.of(),
                Set::of,
                "");
    }

    public WorkerSetup withLease(Duration duration, Duration beat) {
        return new WorkerSetup(folder, concurrency, duration, beat, drain, fresh, environment, traits, classPath);
    }

    public WorkerSetup withConcurrency(int handlers) {
        return new WorkerSetup(folder, handlers, lease, heartbeat, drain, fresh, environment, traits, classPath);
    }

    public WorkerSetup old() {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, false, environment, traits, classPath);
    }

    public WorkerSetup withEnvironment(Map<String, String> more) {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, fresh, more, traits, classPath);
    }

    /** @param drawn what each process has chosen, asked as it is started */
    public WorkerSetup withTraits(Supplier<Set<Trait>> drawn) {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, fresh, environment, drawn, classPath);
    }

    /** @param classes of the nodes' version of Rowlock and of chaos */
    public WorkerSetup withClassPath(String classes) {
        return new WorkerSetup(folder, concurrency, lease, heartbeat, drain, fresh, environment, traits, classes);
    }

    /** Where the application's password stands, if it needs one. */
    public Path password() {
        return folder.resolve("password");
    }
}
