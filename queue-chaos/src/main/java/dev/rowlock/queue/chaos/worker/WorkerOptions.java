package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a worker process is told on its command line.
 *
 * @param name unique for each process of a run, also for one that replaces another
 * @param poolUrl where the pool connects to
 * @param directUrl where lease and notification listener connect to
 * @param log where it writes what it does
 * @param fresh whether it knows the new type of job
 * @param password where the application's password stands; without such a file, it logs in as who needs none
 */
public record WorkerOptions(
        String name,
        String poolUrl,
        String directUrl,
        Path log,
        int concurrency,
        Duration lease,
        Duration heartbeat,
        Duration drain,
        boolean fresh,
        Path password,
        Set<Trait> traits) {

    /** As arguments of a main. */
    public List<String> arguments() {
        return new ArrayList<>(List.of(
                "name=" + name,
                "poolUrl=" + poolUrl,
                "directUrl=" + directUrl,
                "log=" + log,
                "concurrency=" + concurrency,
                "lease=" + lease.toMillis(),
                "heartbeat=" + heartbeat.toMillis(),
                "drain=" + drain.toMillis(),
                "fresh=" + fresh,
                "password=" + password,
                "traits=" + traits.stream().map(Trait::name).collect(Collectors.joining(","))));
    }

    static WorkerOptions parse(String[] arguments) {
        Map<String, String> values = Stream.of(arguments)
                .map(argument -> argument.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        return new WorkerOptions(
                required(values, "name"),
                required(values, "poolUrl"),
                required(values, "directUrl"),
                Path.of(required(values, "log")),
                Integer.parseInt(required(values, "concurrency")),
                millis(values, "lease"),
                millis(values, "heartbeat"),
                millis(values, "drain"),
                Boolean.parseBoolean(required(values, "fresh")),
                Path.of(required(values, "password")),
                Stream.of(required(values, "traits").split(","))
                        .filter(name -> !name.isEmpty())
                        .map(Trait::valueOf)
                        .collect(Collectors.toSet()));
    }

    WorkerSettings worker() {
        FetchSettings fetch = new FetchSettings(Duration.ofMillis(250), Duration.ofMillis(250), 50);
        return new WorkerSettings(concurrency, Map.of(), fetch, drain, false);
    }

    LeaseSettings leaseSettings() {
        return new LeaseSettings(name, lease, heartbeat, 3);
    }

    RetentionSettings retention() {
        return new RetentionSettings(
                traits.contains(Trait.SHORT_RETENTION) ? Duration.ofDays(1) : Trait.LONG_RETENTION, null);
    }

    private static Duration millis(Map<String, String> values, String name) {
        return Duration.ofMillis(Long.parseLong(required(values, name)));
    }

    private static String required(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the argument %s=… is missing".formatted(name));
        }
        return value;
    }
}
