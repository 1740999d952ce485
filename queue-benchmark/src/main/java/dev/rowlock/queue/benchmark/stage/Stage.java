package dev.rowlock.queue.benchmark.stage;

import dev.rowlock.queue.benchmark.Server;
import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** Where workloads run, and what most of them do. */
public record Stage(Server server, Size size) {

    /** Jobs per call when a table is filled before the measurement. */
    private static final int FILL = 1_000;

    /** A peer that takes longer than this for what it should do in seconds is broken. */
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    /** What a workload does on a database of its own. */
    @FunctionalInterface
    public interface Act {
        Figures play(Session session, Target target);
    }

    /** Runs on a new database, which is dropped afterwards. */
    public Figures onNewDatabase(Peer peer, Act act) {
        try (TestDatabase database = server.newDatabase()) {
            Target target = Server.target(database);
            try (Session session = peer.open(target)) {
                return act.play(session, target);
            }
        }
    }

    /** Enqueues jobs numbered from {@code from}, then lets the server {@link #settle}. */
    public void fill(Session session, Target target, long from, long jobs, LongFunction<Job> job) {
        for (long begin = from; begin < from + jobs; begin += FILL) {
            List<Job> batch = LongStream.range(begin, Math.min(from + jobs, begin + FILL))
                    .mapToObj(job)
                    .toList();
            session.enqueueAll(batch);
        }
        settle(target);
    }

    /** Enqueues so many jobs in chains of this length, as {@link Session#enqueueChains} says, and lets the server settle. */
    public void fillChains(Session session, Target target, long jobs, int length) {
        for (long begin = 0; begin < jobs; begin += FILL) {
            session.enqueueChains(
                    LongStream.range(begin, Math.min(jobs, begin + FILL))
                            .mapToObj(Job::of)
                            .toList(),
                    length);
        }
        settle(target);
    }

    /** Lets the server settle: statistics fresh, what autovacuum would do soon done, nothing left to write. */
    public void settle(Target target) {
        Sql.execute(target.unpooled(), "VACUUM (ANALYZE)");
        server.checkpoint();
    }

    public Meter meter(Session session) {
        return Meter.start(server::cpu, session::clientCpu);
    }

    /** Waits until the first job has run. */
    public void awaitFirst(Probe probe) {
        Await.until("a job run", () -> probe.count() > 0, Duration.ofMillis(1), TIMEOUT);
    }

    /** Lets this time pass. */
    public void pass(long beginNanos, Duration time) {
        Await.nanoTime(beginNanos + time.toNanos());
    }

    /** Waits until so many jobs have run and ended. Returns when that was, as {@link System#nanoTime}. */
    public long awaitDrained(Session session, Probe probe, long jobs) {
        return awaitDrained(session, probe, jobs, TIMEOUT);
    }

    /** The same, for so long at most. */
    public long awaitDrained(Session session, Probe probe, long jobs, Duration longest) {
        if (!Await.atMost(() -> probe.count() >= jobs, Duration.ofMillis(1), longest)) {
            throw new IllegalStateException(
                    "%,d of %,d jobs have run within %s".formatted(probe.count(), jobs, longest));
        }
        Await.until("their outcomes written", session::drained, Duration.ofMillis(5), longest);
        long end = System.nanoTime();
        if (probe.count() != jobs) {
            throw new IllegalStateException("%d jobs were enqueued, %d ran".formatted(jobs, probe.count()));
        }
        return end;
    }
}
