package dev.rowlock.queue.chaos.upgrade;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.load.Told;
import java.io.File;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rolls a cluster of two nodes from the version before to this one and back, under load. One thread.
 *
 * <p>The version before makes the tables; this one upgrades them while nodes and callers of the one before work; then nodes
 * are replaced one by one, some by SIGKILL, and in the end by those of the version before again, which start on the newer
 * tables.
 */
public final class Upgrade implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Upgrade.class);

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration DRAIN = Duration.ofSeconds(90);

    /** How long the report goes on, if the migration waits for its end: longer than claims may pause. */
    private static final Duration REPORT = Duration.ofSeconds(9);

    private static final String READ_EVERYTHING = """
            DO $$
            DECLARE
                relation regclass;
            BEGIN
                FOR relation IN SELECT oid FROM pg_class WHERE relnamespace = 'rowlock'::regnamespace AND relkind IN ('r', 'p') LOOP
                    EXECUTE format('LOCK TABLE %s IN ACCESS SHARE MODE', relation);
                END LOOP;
            END $$
            """;

    /** No two callers have a uid in common. */
    private static final long UIDS = 10_000_000;

    private final Path folder;
    private final Duration stay;
    private final String before;
    private final String now = Worker.classPath();
    private final Database database = Database.empty();
    private final Map<String, Worker> nodes = new LinkedHashMap<>();
    private final Map<String, Program> callers = new LinkedHashMap<>();
    private final List<Path> calls = new ArrayList<>();
    private final List<Kill> kills = new ArrayList<>();
    private long migratedFrom;
    private long migratedTo;

    /**
     * @param before the class path of the version before
     * @param stay how long the load goes on between two changes
     */
    public Upgrade(Path folder, String before, Duration stay) {
        this.folder = folder;
        this.before = before;
        this.stay = stay;
    }

    public Rehearsal run() {
        migrate("before", before);
        database.audit().install();
        start("old-a", before);
        start("old-b", before);
        call("old", before);
        Arena.last(stay);

        long loaded = System.nanoTime();
        there();
        Arena.last(stay);
        back();
        Arena.last(stay);
        long unloaded = System.nanoTime();

        callers.values().forEach(Program::stop);
        drain();
        nodes.values().stream().filter(Worker::alive).forEach(Worker::retire);
        return rehearsal(loaded, unloaded);
    }

    private void there() {
        log.info("this version upgrades the tables");
        migratedFrom = System.nanoTime();
        migrateBesideAReport();
        migratedTo = System.nanoTime();
        call("new", now);
        Arena.last(stay);
        kill("old-a");
        start("new-a", now);
        Arena.last(stay);
        node("old-b").retire();
        start("new-b", now);
        Arena.last(stay);
        kill("new-a");
        start("new-a", now);
    }

    private void back() {
        log.info("and back");
        migrate("again", before);
        node("new-a").retire();
        start("back-a", before);
        Arena.last(stay);
        kill("new-b");
        start("back-b", before);
        Arena.last(stay);
        call("back", before);
    }

    /** A long transaction that has read every table stands in the way of each change of a table. The migration must not keep others waiting behind it. */
    private void migrateBesideAReport() {
        try (Program migration = migration("now", now);
                Connection report = database.dataSource("report").getConnection()) {
            report.setAutoCommit(false);
            try (Statement statement = report.createStatement()) {
                statement.execute(READ_EVERYTHING);
            }
            migration.awaitEnd(REPORT);
            report.rollback();
            migration.awaitSuccess(START);
        } catch (SQLException e) {
            throw new IllegalStateException("the report failed", e);
        }
    }

    private void migrate(String name, String classPath) {
        try (Program migration = migration(name, classPath)) {
            migration.awaitSuccess(START);
        }
    }

    private Program migration(String name, String classPath) {
        return Program.start(
                MigrateMain.class, withThisBehind(classPath), folder.resolve("migrate-" + name + ".out"), url());
    }

    /** Returns when it runs jobs. */
    private void start(String name, String classPath) {
        log.info("node {} starts", name);
        Worker node = nodes.computeIfAbsent(
                name, place -> new Worker(place, WorkerSetup.quick(folder).withClassPath(classPath), database.port()));
        node.start();
        if (!node.awaitStarted(START)) {
            throw new IllegalStateException("node %s does not start:%n%s".formatted(name, node.output()));
        }
    }

    private Worker node(String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    private void kill(String name) {
        log.info("node {} is killed", name);
        Worker node = node(name);
        kills.add(new Kill(node.name(), System.nanoTime()));
        node.kill();
    }

    private void call(String name, String classPath) {
        Path file = folder.resolve("caller-" + name + ".log");
        long firstUid = 1 + UIDS * callers.size();
        calls.add(file);
        callers.put(
                name,
                Program.start(
                        CallerMain.class,
                        withThisBehind(classPath),
                        folder.resolve("caller-" + name + ".out"),
                        url(),
                        file.toString(),
                        Long.toString(firstUid)));
    }

    /** A version that lacks these mains finds them here. */
    private String withThisBehind(String classPath) {
        return classPath.equals(now) ? now : classPath + File.pathSeparator + now;
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(database.port());
    }

    private void drain() {
        long begun = System.nanoTime();
        while (left() > 0 && System.nanoTime() - begun < DRAIN.toNanos()) {
            Arena.last(Duration.ofMillis(200));
        }
        log.info("drained in {} ms", (System.nanoTime() - begun) / 1_000_000);
    }

    private long left() {
        return database.sql()
                .sql("SELECT count(*) FROM rowlock.job WHERE state IN ('waiting', 'ready', 'running')")
                .query(Long.class)
                .single();
    }

    private Rehearsal rehearsal(long loaded, long unloaded) {
        List<Told> told =
                calls.stream().flatMap(file -> Calls.told(file).stream()).toList();
        Stream<Path> logs = nodes.values().stream().flatMap(node -> node.logs().stream());
        History history = database.audit().history(told, logs.toList(), kills);
        return new Rehearsal(
                history,
                calls.stream().flatMap(file -> Calls.failed(file).stream()).toList(),
                new Rehearsal.Times(loaded, unloaded, migratedFrom, migratedTo));
    }

    @Override
    public void close() {
        callers.values().forEach(Program::close);
        nodes.values().forEach(Worker::close);
        database.close();
    }
}
