package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Set;

/** What one node costs while there is nothing to do, with one queue or with many. */
final class Idle implements Workload {

    private static final int SECONDS = 60;

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.LISTENS);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        return stage.onNewDatabase(peer, (session, target) -> {
            Duration time = stage.size().duration(SECONDS);
            int threads = threads();
            Crew crew = Crew.of(stage.size().workers()).on(stage.size().queues());
            session.startWorkers(crew, Probe.counting());
            stage.pass(System.nanoTime(), time.dividedBy(4)); // what starting costs does not count
            long before = stage.server().transactions(target);
            Meter meter = stage.meter(session);
            long begin = System.nanoTime();
            stage.pass(begin, time);
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            Figures figures = new Figures();
            figures.rate("transactions_per_s", stage.server().transactions(target) - before, took.toNanos());
            meter.share(figures, took);
            if (!peer.abilities().contains(Ability.CHILD)) {
                figures.put("threads", Math.max(0, threads() - threads));
            }
            return figures;
        });
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    /** There is nothing to be quick about. */
    @Override
    public void warmUp(Peer peer, Stage stage) {}
}
