package dev.rowlock.queue.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.chaos.cluster.Clocks;
import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.fault.Fault;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.load.Load;
import dev.rowlock.queue.chaos.load.Producer;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.SmallDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run: starts everything, lets faults strike under load, heals, drains, stops all workers in good order, and
 * returns what happened.
 */
public final class ChaosRun {

    private static final Logger log = LoggerFactory.getLogger(ChaosRun.class);

    private final ChaosSettings settings;
    private final Random random;
    private final List<String> late = new ArrayList<>();

    public ChaosRun(ChaosSettings settings) {
        this.settings = settings;
        this.random = new Random(settings.seed());
    }

    /** Workers that did not end in time after SIGTERM. */
    public List<String> late() {
        return List.copyOf(late);
    }

    public History run() {
        log.info("chaos with seed {} for {}, logs in {}", settings.seed(), settings.hurt(), settings.folder());
        try (Database database = database();
                HikariDataSource pool = producersPool(database)) {
            Producer producer = new Producer(pool, Wakeups.NONE);
            List<Worker> workers = workers(database);
            try {
                Arena arena = new Arena(database, workers);
                arena.heal();
                awaitNodes(arena);
                try (Load load = new Load(producer, settings.seed(), settings.pause()).start()) {
                    hurt(arena);
                }
                drain(arena);
                stop(workers);
                return database.audit().history(producer.told(), logs(workers), arena.kills());
            } finally {
                workers.forEach(Worker::close);
            }
        }
    }

    private static Database database() {
        try {
            return Database.withTablesOn(SmallDisk.open());
        } catch (UnsupportedOperationException e) {
            log.info("the disk gets full: SKIPPED, {}", e.getMessage());
            return new Database();
        }
    }

    private List<Worker> workers(Database database) {
        WorkerSetup setup = WorkerSetup.quick(settings.folder());
        Optional<Map<String, String>> clock = Clocks.off("+5h");
        log.info(
                "a worker's clock is off by five hours: {}",
                clock.isPresent() ? "yes" : "SKIPPED, no libfaketime here");
        return List.of(
                new Worker("w1", setup, database.port()),
                new Worker("w2", setup.withEnvironment(clock.orElse(Map.of())), database.port()),
                new Worker("old", setup.old(), database.port()));
    }

    private static void awaitNodes(Arena arena) {
        for (int look = 0; look < 900; look++) {
            long nodes = arena.database()
                    .sql()
                    .sql("SELECT count(*) FROM rowlock.node")
                    .query(Long.class)
                    .single();
            if (nodes == arena.workers().size()) {
                return;
            }
            Arena.last(Duration.ofMillis(200));
        }
        throw new IllegalStateException("the workers did not register within three minutes");
    }

    /** Every kind of fault comes before any comes again. */
    private void hurt(Arena arena) {
        long end = System.nanoTime() + settings.hurt().toNanos();
        List<Fault> deck = new ArrayList<>();
        while (System.nanoTime() - end < 0) {
            Arena.last(Duration.ofMillis(500 + random.nextInt(1_500)));
            if (deck.isEmpty()) {
                deck.addAll(List.of(Fault.values()));
                Collections.shuffle(deck, random);
            }
            Fault fault = deck.remove(0);
            Worker worker = arena.workers().get(random.nextInt(arena.workers().size()));
            arena.heal();
            worker.awaitStarted(Duration.ofSeconds(15));
            log.info("{} ({})", fault, worker.name());
            fault.strike(arena, worker, random);
        }
    }

    /** Waits until no job is left that could still run; the checker names those that are, if the time is up. */
    private void drain(Arena arena) {
        arena.heal();
        // The deploy is completed: what only the new version knows can now be claimed by nobody else.
        arena.workers().get(2).retire();
        long begun = System.nanoTime();
        long left;
        do {
            Arena.last(Duration.ofMillis(500));
            arena.heal();
            left = left(arena);
        } while (left > 0 && System.nanoTime() - begun < settings.drain().toNanos());
        log.info("drained in {} ms, {} jobs left", (System.nanoTime() - begun) / 1_000_000, left);
    }

    private static long left(Arena arena) {
        return arena.database()
                .sql()
                .sql("SELECT count(*) FROM rowlock.job WHERE state IN ('waiting', 'ready', 'running')")
                .query(Long.class)
                .single();
    }

    private void stop(List<Worker> workers) {
        workers.forEach(Worker::terminate);
        for (Worker worker : workers) {
            if (!worker.awaitExit(Duration.ofSeconds(40))) {
                late.add(worker.name());
                worker.kill();
            }
        }
    }

    private static List<Path> logs(List<Worker> workers) {
        return workers.stream().flatMap(worker -> worker.logs().stream()).toList();
    }

    private static HikariDataSource producersPool(Database database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource("producer"));
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(2_000);
        return new HikariDataSource(config);
    }
}
