package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Producer;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Kills all nodes but one at the same time, again and again, while all their threads are busy. Nothing else is wrong, and
 * once the jobs are given back there are free threads: what {@link dev.rowlock.queue.chaos.history.Recovery} finds
 * in its history is how long a death takes to be noticed and mended.
 */
public final class KillRun {

    private static final int NODES = 4;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Duration length;
    private final WorkerSetup setup;
    private final Random random;

    /** @param length how long killing goes on; one round is always made */
    public KillRun(long seed, Duration length, WorkerSetup setup) {
        this.random = new Random(seed);
        this.length = length;
        this.setup = setup;
    }

    public History run() {
        try (Database database = new Database()) {
            List<Worker> workers = IntStream.rangeClosed(1, NODES)
                    .mapToObj(i -> new Worker("w" + i, setup, database.port()))
                    .toList();
            try {
                Producer producer = new Producer(database.dataSource("producer"), false);
                Arena arena = new Arena(database, workers);
                long begun = System.nanoTime();
                for (int round = 0; round == 0 || System.nanoTime() - begun < length.toNanos(); round++) {
                    kill(arena, producer, workers.get(round % NODES));
                }
                workers.forEach(Worker::terminate);
                workers.forEach(worker -> worker.awaitExit(Duration.ofSeconds(40)));
                List<Path> logs = workers.stream()
                        .flatMap(worker -> worker.logs().stream())
                        .toList();
                return database.audit().history(producer.told(), logs, arena.kills());
            } finally {
                workers.forEach(Worker::close);
            }
        }
    }

    private void kill(Arena arena, Producer producer, Worker survivor) {
        arena.heal();
        // Only a node that has beaten for a whole lease may declare others dead.
        await("all nodes are steady", () -> count(arena, """
                rowlock.node WHERE started_at < clock_timestamp() - 1.5 * lease_millis * interval '1 ms'
                               AND heartbeat_at > clock_timestamp() - lease_millis * interval '1 ms'""") == NODES);
        int threads = NODES * setup.concurrency();
        int longer = (int) setup.heartbeat().multipliedBy(2).plusSeconds(2).toMillis();
        producer.enqueueAll(
                IntStream.range(0, threads)
                        .mapToObj(i -> new Work.Plain(producer.nextUid(), Act.SLEEP, longer))
                        .toList(),
                JobOptions.NONE,
                true);
        await("all threads are busy", () -> count(arena, "rowlock.running") == threads);
        Arena.last(Duration.ofMillis(random.nextInt((int) setup.heartbeat().toMillis())));
        arena.workers().stream().filter(worker -> worker != survivor).forEach(arena::kill);
        arena.heal();
        await(
                "all jobs have ended",
                () -> count(arena, "rowlock.job WHERE state IN ('waiting', 'ready', 'running')") == 0);
    }

    private static long count(Arena arena, String fromWhere) {
        return arena.database()
                .sql()
                .sql("SELECT count(*) FROM " + fromWhere)
                .query(Long.class)
                .single();
    }

    private static void await(String what, BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begun > TIMEOUT.toNanos()) {
                throw new IllegalStateException("not within %s: %s".formatted(TIMEOUT, what));
            }
            Arena.last(Duration.ofMillis(100));
        }
    }
}
