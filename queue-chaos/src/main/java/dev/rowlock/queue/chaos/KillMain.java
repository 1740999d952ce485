package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/**
 * {@code make kills [SEED=…] [MINUTES=…] [A=-Dchaos.defaults=true]}: how long the jobs of killed nodes wait. Ends with 1 if
 * that is too long, or if a promise was broken.
 */
public final class KillMain {

    private KillMain() {}

    public static void main(String[] arguments) throws IOException {
        boolean defaults = Boolean.getBoolean("chaos.defaults");
        WorkerSetup quick = WorkerSetup.quick(Files.createTempDirectory("rowlock-kills-"));
        WorkerSetup setup = defaults ? quick.withLease(Duration.ofSeconds(30), Duration.ofSeconds(5)) : quick;
        Duration bar = Duration.ofSeconds(defaults ? 35 : 5);
        long seed = ChaosMain.seed();
        Duration length = ChaosMain.length("5");

        History history = new KillRun(seed, length, setup).run();

        ChaosReport report = ChaosReport.of(history, List.of());
        Duration p99 = Recovery.percentile(Recovery.times(history), 99);
        boolean held = p99.compareTo(bar) <= 0;
        System.out.printf(
                "%n=== kills, seed %d, %s, lease %s%n%sp99 %d ms, bar %d ms: %s%n",
                seed, length, setup.lease(), report, p99.toMillis(), bar.toMillis(), held ? "held" : "BROKEN");
        System.exit(report.passed() && held ? 0 : 1);
    }
}
