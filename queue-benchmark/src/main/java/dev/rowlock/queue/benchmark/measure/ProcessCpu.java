package dev.rowlock.queue.benchmark.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** Processor time of a process and all its descendants, those that have ended included, from {@code /proc}. */
public final class ProcessCpu {

    /** Of {@code clock_t} in {@code /proc}: 100 a second on every Linux that matters. */
    private static final long TICK_NANOS = 10_000_000;

    private final long pid;

    public ProcessCpu(long pid) {
        this.pid = pid;
    }

    public static ProcessCpu own() {
        return new ProcessCpu(ProcessHandle.current().pid());
    }

    /** Whether this system can tell. */
    public boolean available() {
        return stat(pid).isPresent();
    }

    /** Of the process alone. */
    public Duration alone() {
        return Duration.ofNanos(TICK_NANOS * stat(pid).map(Stat::own).orElse(0L));
    }

    /**
     * Of the process and its descendants. A descendant that has ended is counted by its parent, so the sum does not
     * fall when one ends.
     */
    public Duration withDescendants() {
        try (Stream<ProcessHandle> descendants = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants)) {
            long ticks = Stream.concat(Stream.of(pid), descendants.map(ProcessHandle::pid))
                    .flatMap(id -> stat(id).stream())
                    .mapToLong(stat -> stat.own() + stat.ofEndedChildren())
                    .sum();
            return Duration.ofNanos(TICK_NANOS * ticks);
        }
    }

    /** The process that started this one, if it is visible here. */
    public Optional<Long> parent() {
        return stat(pid).map(Stat::parent);
    }

    private static Optional<Stat> stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The second field is the command in parentheses, and may itself contain blanks and parentheses.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return Optional.of(new Stat(
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                    Long.parseLong(fields[13]) + Long.parseLong(fields[14])));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or there is no /proc
        }
    }

    private record Stat(long parent, long own, long ofEndedChildren) {}
}
