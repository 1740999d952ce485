package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Latencies;
import dev.rowlock.queue.benchmark.measure.Meter;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;

/**
 * How late the jobs of a recurring job are claimed, counted from the time of their run: one that is due each second, on an idle
 * machine, beside 10,000 others that are due once a day. And what each run costs the server.
 */
final class Recurring implements Workload {

    private static final int SECONDS = 60;
    private static final int OTHERS = 10_000;

    @Override
    public String name() {
        return "recurring";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.RECURRING);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        return stage.onNewDatabase(peer, (session, target) -> {
            Duration time = stage.size().duration(SECONDS);
            int others = stage.size().jobs() == null ? OTHERS : stage.size().jobs();
            session.recur(others);
            session.startWorkers(Crew.of(stage.size().workers()), Probe.counting());
            stage.pass(System.nanoTime(), time.dividedBy(4)); // what starting costs does not count
            int before = session.lateness().length;
            long transactions = stage.server().transactions(target);
            Meter meter = stage.meter(session);
            stage.pass(System.nanoTime(), time);
            long[] all = session.lateness();
            long[] late = Arrays.copyOfRange(all, before, all.length);
            int runs = late.length;
            Figures figures = new Figures();
            meter.perJob(figures, "", runs);
            figures.put("transactions_per_run", (stage.server().transactions(target) - transactions) / (double) runs);
            Latencies.of(late).note(figures, "");
            return figures;
        });
    }

    /** There is nothing to be quick about. */
    @Override
    public void warmUp(Peer peer, Stage stage) {}
}
