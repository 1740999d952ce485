package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.measure.Latencies;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Whether fast jobs wait behind slow ones. Two nodes have run thousands of fast jobs, and expect more of them, when one call
 * enqueues some jobs of 30 s and, behind those, 200 that do nothing. The slow ones leave threads of the two nodes free.
 */
final class Mixed implements Workload {

    private static final int NODES = 2;
    private static final int WORKERS = 10;
    private static final int FAST = 200;
    private static final int SLOW = 12;
    private static final int SECONDS = 30;
    private static final int WARM_UP_JOBS = 5_000;

    /** Small enough that both nodes get some, large enough that nodes claim many at a time. */
    private static final int WARM_UP_CALL = 250;

    /** Jobs numbered from here on are slow; below are the fast ones and then those of the warm-up. */
    private static final int SLOW_FROM = 10_000_000;

    @Override
    public String name() {
        return "mixed";
    }

    @Override
    public Set<Ability> needs() {
        return Set.of(Ability.BULK, Ability.LISTENS, Ability.WORKERS, Ability.PAIR);
    }

    @Override
    public Figures run(Peer peer, Stage stage) {
        int workers = stage.size().workers() == 0 ? WORKERS : stage.size().workers();
        Probe probe = Probe.mixed(FAST, SLOW_FROM, stage.size().duration(SECONDS));
        return stage.onNewDatabase(peer, (session, target) -> {
            session.startWorkers(Crew.of(NODES, workers), probe);
            int before = runFastJobs(stage, session, probe);

            long[] begin = new long[FAST];
            Arrays.fill(begin, System.nanoTime());
            session.enqueueAll(slowOnesFirst());
            stage.awaitDrained(session, probe, (long) before + SLOW + FAST);
            session.stopWorkers(); // other processes now tell when their jobs started

            Latencies latencies = Latencies.between(begin, probe.startNanos());
            if (latencies.count() != FAST) {
                throw new IllegalStateException("%d of %d jobs were timed".formatted(latencies.count(), FAST));
            }
            return new Figures().put("fast_done_ms", latencies.millis(1));
        });
    }

    private static int runFastJobs(Stage stage, Session session, Probe probe) {
        int jobs = stage.size().jobs() == null ? WARM_UP_JOBS : stage.size().jobs();
        for (int begin = FAST; begin < FAST + jobs; begin += WARM_UP_CALL) {
            session.enqueueAll(jobs(begin, Math.min(FAST + jobs, begin + WARM_UP_CALL)));
        }
        stage.awaitDrained(session, probe, jobs);
        return jobs;
    }

    private static List<Job> slowOnesFirst() {
        return Stream.concat(jobs(SLOW_FROM, SLOW_FROM + SLOW).stream(), jobs(0, FAST).stream())
                .toList();
    }

    private static List<Job> jobs(int from, int to) {
        return LongStream.range(from, to).mapToObj(Job::of).toList();
    }

    /** The fast jobs before the measurement warm up both nodes. */
    @Override
    public void warmUp(Peer peer, Stage stage) {}
}
