package dev.rowlock.queue.benchmark;

import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.registry.Peers;
import dev.rowlock.queue.benchmark.report.Charts;
import dev.rowlock.queue.benchmark.report.Summary;
import dev.rowlock.queue.benchmark.report.TextReport;
import dev.rowlock.queue.benchmark.stage.Size;
import dev.rowlock.queue.benchmark.workload.Workload;
import dev.rowlock.queue.benchmark.workload.Workloads;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
        name = "bench",
        description = "Measures Rowlock and its peers on one PostgreSQL, and ends with one line of figures.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
public final class Bench implements Callable<Integer> {

    @Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "WORKLOAD",
            description = "what to measure: ${COMPLETION-CANDIDATES}",
            completionCandidates = WorkloadNames.class)
    private String workload = "";

    @Option(
            names = "--peers",
            split = ",",
            description = "whom to measure: ${COMPLETION-CANDIDATES}; by default those that suit the workload",
            completionCandidates = PeerNames.class)
    private @Nullable List<String> peers;

    @Option(names = "--runs", description = "runs of each peer, after one to warm up", defaultValue = "3")
    private int runs;

    @Option(names = "--jobs", description = "jobs of a run; by default as many as suit the peer's speed")
    private @Nullable Integer jobs;

    @Option(names = "--seconds", description = "seconds of a run, for workloads that go by time")
    private @Nullable Integer seconds;

    @Option(
            names = "--workers",
            description = "jobs that a node runs at once; 0: as many as suit the peer",
            defaultValue = "0")
    private int workers;

    @Option(
            names = "--queues",
            description = "queues that a node listens to, for the workload idle",
            defaultValue = "1")
    private int queues;

    @Option(names = "--parts", split = ",", description = "parts of the workload gates; by default all")
    private List<String> parts = List.of();

    @Option(
            names = "--url",
            description = "JDBC URL of a server whose user may create databases; by default one is started")
    private @Nullable String url;

    @Option(names = "--chart", description = "folder for a chart of the figures; by default there is none")
    private @Nullable Path chart;

    public static void main(String[] arguments) {
        System.setProperty("logback.configurationFile", "logback-benchmark.xml");
        System.exit(new CommandLine(new Bench()).execute(arguments));
    }

    @Override
    public Integer call() {
        Workload measured = parsed(() -> Workloads.named(workload));
        parsed(() -> requireParts(measured));
        List<Peer> chosen = parsed(() -> Peers.named(peers != null ? peers : measured.peers()));
        try (Server server = Server.start(url)) {
            System.out.println("PostgreSQL " + server.settings());
            Summary summary = new Runs(server, new Size(jobs, seconds, workers, queues, Set.copyOf(parts)), runs)
                    .measure(measured, chosen);
            if (chart != null) {
                System.out.println("chart: " + Charts.write(summary, workload, chart));
            }
            System.out.println();
            System.out.println(TextReport.table(summary));
            System.out.println(TextReport.figures(summary));
        }
        return 0;
    }

    private boolean requireParts(Workload measured) {
        for (String part : parts) {
            if (!measured.parts().contains(part)) {
                throw new IllegalArgumentException(
                        "%s has no part %s: it has %s".formatted(measured.name(), part, measured.parts()));
            }
        }
        return true;
    }

    private <T> T parsed(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), e.getMessage());
        }
    }

    static final class WorkloadNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Workloads.all().stream().map(Workload::name).iterator();
        }
    }

    static final class PeerNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Peers.all().stream().map(Peer::name).iterator();
        }
    }
}
