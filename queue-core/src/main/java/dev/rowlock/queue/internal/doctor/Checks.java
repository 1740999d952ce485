package dev.rowlock.queue.internal.doctor;

import java.time.Duration;
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
            new UnservedQueue(Duration.ofMinutes(1)),
            new ReadOnly());

    private Checks() {}
}
