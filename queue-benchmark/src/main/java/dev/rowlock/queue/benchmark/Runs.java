package dev.rowlock.queue.benchmark;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.report.Summary;
import dev.rowlock.queue.benchmark.stage.Size;
import dev.rowlock.queue.benchmark.stage.Stage;
import dev.rowlock.queue.benchmark.workload.Workload;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Measures peers in turns, so that whatever else the machine does hits all of them alike. */
final class Runs {

    private final Server server;
    private final Size size;
    private final int runs;

    Runs(Server server, Size size, int runs) {
        this.server = server;
        this.size = size;
        this.runs = runs;
    }

    Summary measure(Workload workload, List<Peer> peers) {
        List<Peer> able = able(workload, size, peers);
        able.forEach(peer -> warmUp(workload, peer));
        Summary summary = new Summary();
        Stage stage = new Stage(server, size);
        for (int run = 1; run <= runs; run++) {
            for (Peer peer : able) {
                server.checkpoint();
                Figures figures = workload.run(peer, stage);
                System.out.printf("%s %s run %d: %s%n", workload.name(), peer.name(), run, figures);
                summary.add(peer.name(), figures);
            }
        }
        return summary;
    }

    private void warmUp(Workload workload, Peer peer) {
        System.out.printf("%s %s: warming up%n", workload.name(), peer.name());
        workload.warmUp(peer, new Stage(server, size));
    }

    static List<Peer> able(Workload workload, Size size, List<Peer> peers) {
        List<Peer> able = new ArrayList<>();
        for (Peer peer : peers) {
            Optional<String> obstacle = obstacle(workload, size, peer);
            if (obstacle.isPresent()) {
                System.out.printf("%s %s: skipped, %s%n", workload.name(), peer.name(), obstacle.get());
            } else {
                able.add(peer);
            }
        }
        return able;
    }

    private static Optional<String> obstacle(Workload workload, Size size, Peer peer) {
        Set<Ability> lacking = EnumSet.noneOf(Ability.class);
        lacking.addAll(workload.needs());
        lacking.addAll(size.needs());
        lacking.removeAll(peer.abilities());
        return lacking.isEmpty() ? peer.missing() : Optional.of("it cannot do " + lacking);
    }
}
