package dev.rowlock.queue.internal.doctor;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** The checks about the database, in the order of their findings. */
public final class Checks {

    public static final List<Check> ALL = List.of(
            new HeldHorizon(Duration.ofMinutes(5)),
            new ForgottenPrepared(Duration.ofMinutes(5)),
            new ForgottenPause(Duration.ofDays(1)),
            new BrokenIndex(),
            new NoAutovacuum(),
            new LeftSlot(1L << 30),
            new HeldBySlot(1_000_000),
            new HeldByStandby(1_000_000),
            new Wraparound(1_000_000_000, 1_600_000_000),
            new StarvedAutovacuum(10_000_000, Duration.ofMinutes(15)),
            new FullNotificationQueue(0.1, 0.5),
            new LockQueue(Duration.ofSeconds(5)),
            new CrowdedServer(0.9),
            new OtherClock(InstantSource.system(), Duration.ofSeconds(5)),
            new ReadOnly());

    private Checks() {}
}
