package dev.rowlock.queue.chaos.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Wrong clocks, by libfaketime, where it is installed (or where the variable ROWLOCK_FAKETIME says that it is). */
public final class Clocks {

    private Clocks() {}

    /** The environment of a process whose wall clock is off by this, such as {@code +5h}; its monotonic clock is not. */
    public static Optional<Map<String, String>> off(String offset) {
        return Stream.of(
                        Optional.ofNullable(System.getenv("ROWLOCK_FAKETIME")).orElse("none"),
                        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
                        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
                        "/usr/lib64/faketime/libfaketime.so.1")
                .map(Path::of)
                .filter(Files::exists)
                .findFirst()
                .map(library -> Map.of(
                        "LD_PRELOAD",
                        library.toString(),
                        "FAKETIME",
                        offset,
                        "FAKETIME_DONT_FAKE_MONOTONIC",
                        "1",
                        // It moves the deadlines of monotonic waits too, which then return at once: each waiting thread
                        // of a JVM would take all the processor time there is.
                        "FAKETIME_FORCE_MONOTONIC_FIX",
                        "0"));
    }
}
