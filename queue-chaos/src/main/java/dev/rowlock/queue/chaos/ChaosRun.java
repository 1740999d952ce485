package dev.rowlock.queue.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.chaos.cluster.Clocks;
import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.DatabaseWatch;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.fault.Fault;
import dev.rowlock.queue.chaos.fault.HeldSnapshots;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.load.Bursts;
import dev.rowlock.queue.chaos.load.Load;
import dev.rowlock.queue.chaos.load.Operators;
import dev.rowlock.queue.chaos.load.Producer;
import dev.rowlock.queue.chaos.load.Ways;
import dev.rowlock.queue.test.postgres.ServerClock;
import dev.rowlock.queue.test.postgres.SmallDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run: starts everything, lets faults strike under load, heals, drains, stops all workers in good order, and
 * returns what happened.
 */
public final class ChaosRun {

    /** Whoever waits for a job hears of its end by then, also by the slowest look. */
    private static final Duration HEARD = Duration.ofSeconds(20);

    private static final Logger log = LoggerFactory.getLogger(ChaosRun.class);

    /** Nothing happens for so long: what may take its time under faults may not then. */
    private static final Duration CALM = Duration.ofSeconds(22);

    /** The last fault is no longer felt when this part of it has passed. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private static final int QUIET = 3;

    /** By this name, {@link ChaosSettings#wanted} asks for it as for a fault. */
    private static final String SNAPSHOT_HELD = "SNAPSHOT_HELD";

    private static final String TO_MEND = "rowlock.dead WHERE headers ->> '" + Operators.MENDS + "' = 'yes'";
    private static final String ACTIONS = "rowlock.bulk_action WHERE state = 'running'";

    private final ChaosSettings settings;
    private final Random random;
    private final Draw draw;
    private final List<String> late = new ArrayList<>();

    public ChaosRun(ChaosSettings settings) {
        this.settings = settings;
        this.random = new Random(settings.seed());
        this.draw = new Draw(random, settings.wanted());
    }

    /** Workers that did not end in time after SIGTERM. */
    public List<String> late() {
        return List.copyOf(late);
    }

    public History run() {
        log.info(
                "chaos with seed {} for {} on a server with {}, logs in {}",
                settings.seed(),
                settings.hurt(),
                Database.drawn(),
                settings.folder());
        try (Database database = database();
                DatabaseWatch watch = new DatabaseWatch(database);
                HikariDataSource pool = producersPool(database, true);
                HikariDataSource manual = producersPool(database, false);
                HikariDataSource foreign = producersPool(database, true)) {
            database.requirePassword(settings.folder().resolve("password"));
            Producer producer = new Producer(pool, false);
            Ways ways = new Ways(producer, List.of(pool, manual), foreign);
            List<Worker> workers = workers(database);
            try {
                Arena arena = new Arena(database, workers);
                long begun = System.nanoTime();
                arena.heal();
                awaitNodes(arena);
                arena.started(begun);
                HeldSnapshots snapshots = new HeldSnapshots(database, new Random(settings.seed() + 2));
                try (snapshots) {
                    if (draw.wants(SNAPSHOT_HELD)) {
                        snapshots.start();
                    }
                    try (Load load = new Load(producer, ways, settings.seed(), settings.pause(), draw::wants).start()) {
                        hurt(arena, new Bursts(producer));
                    }
                    drain(arena, producer.operators());
                }
                stop(workers);
                return database.audit()
                        .history(
                                producer.told(),
                                producer.recurrences().lives(),
                                producer.operators().pauses(),
                                producer.drafts().words(),
                                producer.awaits().ended(HEARD),
                                producer.questions().asked(),
                                logs(workers),
                                arena.kills(),
                                arena.strikes(),
                                snapshots.held(),
                                watch.pulses());
            } finally {
                workers.forEach(Worker::close);
            }
        }
    }

    private static Database database() {
        return Database.withAll(
                orNone("the disk gets full", SmallDisk::open), orNone("the server's clock steps", ServerClock::open));
    }

    private static <T> @Nullable T orNone(String fault, Supplier<T> needed) {
        try {
            return needed.get();
        } catch (UnsupportedOperationException e) {
            log.info("{}: SKIPPED, {}", fault, e.getMessage());
            return null;
        }
    }

    private List<Worker> workers(Database database) {
        WorkerSetup setup = WorkerSetup.quick(settings.folder()).withTraits(draw::traits);
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
        for (int look = 0; look < 1_800; look++) {
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
        throw new IllegalStateException("the workers did not register within six minutes");
    }

    /** Every kind of fault comes before any comes again; when all have come, and at the end, there is calm. */
    private void hurt(Arena arena, Bursts bursts) {
        long end = System.nanoTime() + settings.hurt().toNanos();
        while (System.nanoTime() - end < 0) {
            if (draw.hasFaults()) {
                strike(arena);
            }
            if (draw.roundIsOver()) {
                calm(arena, bursts);
            }
        }
        if (!draw.roundIsOver()) {
            calm(arena, bursts);
        }
    }

    private void strike(Arena arena) {
        Arena.last(Duration.ofMillis(500 + random.nextInt(1_500)));
        Fault fault = draw.fault();
        Worker worker = arena.workers().get(random.nextInt(arena.workers().size()));
        arena.heal();
        worker.awaitStarted(Duration.ofSeconds(15));
        log.info("{} ({} {})", fault, worker.name(), worker.traits());
        arena.strike(fault, worker, random);
    }

    private static void calm(Arena arena, Bursts bursts) {
        arena.heal();
        log.info("nothing happens");
        Arena.last(SETTLED);
        bursts.mixed();
        bursts.blocked();
        bursts.rated();
        Arena.last(CALM.minus(SETTLED));
    }

    /** Waits until no job is left that could still run; the checker names those that are, if the time is up. */
    private void drain(Arena arena, Operators operators) {
        arena.heal();
        // The deploy is completed: what only the new version knows can now be claimed by nobody else.
        arena.workers().get(2).retire();
        arena.catchUp();
        arena.liftRefusals();
        long begun = System.nanoTime();
        long left;
        int quiet =
                0; // looks in turn that found nothing left: what follows the end of a job, follows it within a moment
        do {
            Arena.last(Duration.ofMillis(500));
            arena.heal();
            if (exist(arena, TO_MEND) && !exist(arena, ACTIONS)) {
                operators.mend();
            }
            left = left(arena);
            quiet = left == 0 ? quiet + 1 : 0;
        } while (quiet < QUIET && System.nanoTime() - begun < settings.drain().toNanos());
        log.info("drained in {} ms, {} jobs left", (System.nanoTime() - begun) / 1_000_000, left);
    }

    /** Jobs that may still run, and whatever may let others run. */
    private static long left(Arena arena) {
        return arena.database()
                .sql()
                .sql("""
                        SELECT (SELECT count(*) FROM rowlock.job WHERE state IN ('waiting', 'ready', 'running'))
                             + (SELECT count(*) FROM %s)
                             + (SELECT count(*) FROM %s)
                             + (SELECT count(*) FROM rowlock.workflow_step WHERE moving)
                             + (SELECT count(*) FROM rowlock.workflow_job m JOIN rowlock.done d ON d.id = m.job_id WHERE m.state IN (0, 1))
                        """.formatted(TO_MEND, ACTIONS))
                .query(Long.class)
                .single();
    }

    private static boolean exist(Arena arena, String what) {
        return arena.database()
                .sql()
                .sql("SELECT EXISTS (SELECT FROM %s)".formatted(what))
                .query(Boolean.class)
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

    private static HikariDataSource producersPool(Database database, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(autoCommit ? "a pool with auto-commit" : "a pool without auto-commit");
        config.setAutoCommit(autoCommit);
        config.setDataSource(database.dataSource("producer"));
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(2_000);
        return new HikariDataSource(config);
    }
}
