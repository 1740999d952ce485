package dev.rowlock.queue.chaos.bars;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Producer;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** One database, some workers, a producer: for tests of one fault each. */
final class Stage implements AutoCloseable {

    final Database database;
    final HikariDataSource pool;
    final Producer producer;
    final List<Worker> workers = new ArrayList<>();
    private final Path folder;

    Stage(Path folder) {
        this(folder, new Database());
    }

    Stage(Path folder, Database database) {
        this.folder = folder;
        this.database = database;
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource("producer"));
        config.setMaximumPoolSize(4);
        this.pool = new HikariDataSource(config);
        this.producer = new Producer(pool, true);
    }

    WorkerSetup setup() {
        return WorkerSetup.quick(folder);
    }

    /** Starts a worker and waits until it has a lease. */
    Worker worker(WorkerSetup setup) {
        Worker worker = new Worker("w" + (workers.size() + 1), setup, database.port());
        workers.add(worker);
        start(worker);
        return worker;
    }

    /** Starts a worker's process and waits until it has a lease. */
    void start(Worker worker) {
        worker.start();
        await(Duration.ofSeconds(40), () -> count("rowlock.node WHERE name = '" + worker.name() + "'") == 1);
    }

    long sleep(int millis) {
        return producer.enqueue(new Work.Plain(producer.nextUid(), Act.SLEEP, millis), JobOptions.NONE);
    }

    /** How many rows this has: {@code rowlock.ready WHERE …}. */
    long count(String fromWhere) {
        return database.sql()
                .sql("SELECT count(*) FROM " + fromWhere)
                .query(Long.class)
                .single();
    }

    void awaitEnded(Duration longest) {
        await(longest, () -> count("rowlock.job WHERE state IN ('waiting', 'ready', 'running')") == 0);
    }

    /**
     * What may take this long on a machine that has nothing else to do, may take longer where other builds run at the
     * same time: by as much as there is more to do than there are cores.
     */
    static Duration stretched(Duration plain) {
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        double factor = machine.getSystemLoadAverage() / machine.getAvailableProcessors();
        return Duration.ofMillis((long) (plain.toMillis() * Math.min(6, Math.max(1, factor))));
    }

    static void await(Duration longest, Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(stretched(longest))
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(condition);
    }

    /** What happened so far. */
    History history() {
        return database.audit()
                .history(
                        producer.told(),
                        workers.stream()
                                .flatMap(worker -> worker.logs().stream())
                                .toList(),
                        List.of());
    }

    /** The starts of a job so far, in order. */
    List<History.Start> starts(long job) {
        return history().starts().stream().filter(start -> start.job() == job).toList();
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        producer.close();
        pool.close();
        database.close();
    }
}
