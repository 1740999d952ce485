package dev.rowlock.queue;

import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.observe.DatabaseMetrics;
import dev.rowlock.queue.observe.EnqueueMetrics;
import dev.rowlock.queue.observe.JobMetrics;
import dev.rowlock.queue.observe.NodeMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What something costs where there are so many of something: each measure takes the number, and says how many statements, locks, lines and so on it saw. */
final class Costs implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(100);
    private static final Duration WATCHED = Duration.ofSeconds(1);

    @JobType("work")
    record Work(int number) {}

    @JobType("wait")
    record Wait(int number) {}

    @JobType("fail")
    record Fail(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final CountedStatements statements = new CountedStatements();
    private SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger waits = new AtomicInteger();
    private volatile CountDownLatch over = new CountDownLatch(1); // jobs that wait go on
    private final TestDatabase database;
    private final DataSource pool;
    private final JdbcClient sql;
    private final TransactionTemplate transaction;

    Costs(TestDatabase database) {
        this.database = database;
        pool = statements.of(database.dataSource());
        sql = JdbcClient.create(database.dataSource());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
    }

    @Override
    public void close() throws Exception {
        over.countDown();
        rowlocks.close();
    }

    // Statements

    long statementsOfAnEnqueue(int jobs) {
        Rowlock rowlock = built();
        return statementsOf(() -> rowlock.jobs().enqueueAll(works(jobs)));
    }

    long statementsOfAnEnqueueWithKeys(int keys) {
        Rowlock rowlock = built();
        return statementsOf(() -> rowlock.jobs().enqueueEach(keyed(keys)));
    }

    long statementsOfAnEnqueueWithUniqueKeys(int keys) {
        Rowlock rowlock = built();
        return statementsOf(() -> rowlock.jobs().enqueueEach(unique(keys)));
    }

    long statementsOfAWorkflowsStart(int steps) {
        Rowlock rowlock = built();
        Workflow workflow = workflow(steps);
        return statementsOf(() -> rowlock.workflows().start(workflow));
    }

    long statementsOfSearches(int jobs) {
        Rowlock rowlock = built();
        rowlock.limits().set(QueueLimit.of("default").maxRunningPerKey(1).ratePerKey(Rate.perHour(1)));
        rowlock.jobs().enqueueEach(keyed(jobs));
        long one = rowlock.jobs().enqueue(new Work(0), o -> o.key("key-1"));
        return statementsOf(() -> {
            rowlock.search().find(JobFilter.all(), Page.first(10));
            rowlock.search().count(JobFilter.all(), 1_000);
            rowlock.search().explain(one);
            rowlock.limits().fullKeys("default", 10);
        });
    }

    long statementsOfAMeasurement(int queues) {
        manyQueues(queues);
        Measurements measure = new Measurements(new Database(pool, new Schema("rowlock")));
        return statementsOf(measure::depth);
    }

    long statementsOfMeters(int queues) {
        manyQueues(queues);
        new Measurements(new Database(database.dataSource(), new Schema("rowlock"))).depth();
        Rowlock rowlock = built();
        try (NodeMetrics node = new NodeMetrics(rowlock, registry);
                QueueMetrics depth = new QueueMetrics(rowlock.search(), registry);
                DatabaseMetrics figures = new DatabaseMetrics(rowlock.search(), registry)) {
            return statementsOf(() -> {
                node.refresh();
                depth.refresh();
                figures.refresh();
            });
        }
    }

    private void manyQueues(int queues) {
        sql.sql("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 'queue-' || i, 'work', '{}' FROM generate_series(1, ?) AS i
                """).param(queues).update();
    }

    long statementsOfANodeThatRuns(int jobs) {
        Rowlock rowlock = built();
        rowlock.jobs().enqueueAll(works(jobs));
        return statementsOf(() -> runAll(rowlock, jobs));
    }

    long statementsOfANodeThatRunsKeys(int keys) {
        Rowlock rowlock = built();
        rowlock.limits().set(QueueLimit.of("default").maxRunningPerKey(1));
        rowlock.jobs().enqueueEach(keyed(keys));
        return statementsOf(() -> runAll(rowlock, keys));
    }

    long statementsASecondOfANodeWithQueues(int queues) {
        Rowlock rowlock = rowlocks.built(withQueues(queues));
        return statementsASecond(rowlock, () -> {});
    }

    long statementsASecondOfANodeWithRunningJobs(int jobs) {
        Rowlock rowlock = built(o -> o.concurrency(jobs));
        waits.set(0);
        over = new CountDownLatch(1);
        return statementsASecond(rowlock, () -> {
            rowlock.jobs()
                    .enqueueAll(IntStream.range(0, jobs).mapToObj(Wait::new).toList());
            await().atMost(LONG).until(() -> waits.get() == jobs);
        });
    }

    long statementsASecondOfANodeWithRecurringJobs(int recurring) {
        Rowlock rowlock = built();
        for (int i = 0; i < recurring; i++) {
            rowlock.recurringJobs()
                    .create(RecurringJob.of(
                            "of-%d-%d".formatted(recurring, i), Schedule.cron("0 0 0 1 1 *"), new Work(i)));
        }
        return statementsASecond(rowlock, () -> {});
    }

    long statementsASecondOfANodeWithHeldKeys(int keys) {
        Rowlock rowlock = built();
        rowlock.limits().set(QueueLimit.of("default").inOrder(AfterFailure.HOLD));
        heldKeys(keys);
        return statementsASecond(rowlock, () -> {});
    }

    long statementsASecondOfWhoeverWaits(int handles) {
        Rowlock rowlock = built();
        List<EnqueueResult> jobs = rowlock.jobs()
                .enqueueEach(IntStream.range(0, handles)
                        .mapToObj(i -> JobRequest.of(new Work(i), o -> o.delay(Duration.ofHours(1))))
                        .toList());
        jobs.forEach(job -> rowlock.results().handle(job.id()).future(Duration.ofMinutes(10)));
        return statementsASecond(rowlock, () -> {});
    }

    private long statementsASecond(Rowlock rowlock, Runnable before) {
        rowlock.start();
        before.run();
        await().atMost(LONG).until(() -> rowlock.status().claims().stream().anyMatch(claims -> claims.empty() > 0));
        pass(WATCHED); // the first looks of everything
        long begun = System.nanoTime();
        long count = statementsOf(() -> pass(WATCHED));
        long took = System.nanoTime() - begun;
        over.countDown();
        rowlock.stop();
        return count * 1_000_000_000L / took;
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(LONG).until(() -> System.nanoTime() - end >= 0);
    }

    private long statementsOf(Runnable call) {
        long before = statements.count();
        call.run();
        return statements.count() - before;
    }

    // Locks and notifications

    long locksOfATransaction(int keys) {
        Rowlock rowlock = built();
        long[] cancelled = rowlock.jobs().enqueueAll(works(keys));
        Long locks = transaction.execute(status -> {
            rowlock.jobs().enqueueEach(keyed(keys));
            rowlock.jobs().enqueueEach(unique(keys));
            rowlock.workflows().start(workflow(keys));
            for (long id : cancelled) {
                rowlock.admin().cancel(id);
            }
            return JdbcClient.create(pool)
                    .sql("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()")
                    .query(Long.class)
                    .single();
        });
        return locks == null ? 0 : locks;
    }

    long notificationsOfATransaction(int keys) throws SQLException {
        Rowlock rowlock = built();
        try (Connection listener = database.unpooled().getConnection()) {
            listener.createStatement().execute("LISTEN rowlock_rowlock; LISTEN told");
            transaction.executeWithoutResult(status -> {
                rowlock.jobs().enqueueEach(keyed(keys));
                rowlock.jobs().enqueueEach(unique(keys));
            });
            return told(listener);
        }
    }

    /** Those that come before one of our own, which comes when all that others send has time to. */
    private long told(Connection listener) throws SQLException {
        long count = 0;
        pass(WATCHED);
        sql.sql("SELECT pg_notify('told', '')").query(row -> {});
        PGConnection connection = listener.unwrap(PGConnection.class);
        while (true) {
            PGNotification[] some = connection.getNotifications(1_000);
            for (PGNotification one : some == null ? new PGNotification[0] : some) {
                if (one.getName().equals("told")) {
                    return count;
                }
                count++;
            }
        }
    }

    // What a node holds

    long threads(int queues) {
        Rowlock rowlock = rowlocks.started(withQueues(queues));
        await().atMost(LONG).until(() -> rowlock.status().claims().stream().anyMatch(claims -> claims.empty() > 0));
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rowlock-"))
                .count();
        rowlock.stop();
        return threads;
    }

    long connections(int queues) {
        Rowlock rowlock = rowlocks.started(withQueues(queues));
        await().atMost(LONG).until(() -> rowlock.status().claims().stream().anyMatch(claims -> claims.empty() > 0));
        long connections = sql.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
                .query(Long.class)
                .single();
        rowlock.stop();
        return connections;
    }

    /** Kilobytes that are in use after jobs of so many keys have run, and were not after jobs of a few. */
    long memory(int keys) {
        Rowlock rowlock = built();
        rowlock.jobs().enqueueEach(keyed(100));
        runAll(rowlock, 100);
        long before = used();
        rowlock.jobs().enqueueAll(keyed(keys).stream(), id -> {});
        awaitRan(keys);
        return (used() - before) / 1024;
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Of all tables but those of ended jobs, after jobs of so many keys and unique keys have ended. */
    long rowsLeft(int keys) {
        Rowlock rowlock = built();
        rowlock.limits()
                .set(QueueLimit.of("default").inOrder(AfterFailure.CONTINUE).ratePerKey(Rate.perSecond(100)));
        rowlock.jobs().enqueueEach(keyed(keys));
        runAll(rowlock, keys);
        rowlock.stop();
        pass(WATCHED); // no rate holds anybody up any more
        new Leftovers(new Database(pool, new Schema("rowlock"))).spentRates();
        List<String> tables = sql.sql("""
                        SELECT format('(SELECT count(*) FROM %s)', oid::regclass) FROM pg_class
                         WHERE relnamespace = 'rowlock'::regnamespace AND relkind = 'r' AND NOT relispartition AND relname <> 'done_place'
                        """).query(String.class).list();
        return sql.sql("SELECT " + String.join(" + ", tables)).query(Long.class).single();
    }

    // Series

    long metersOfJobs(int keys) {
        Rowlock rowlock = metered();
        rowlock.jobs().enqueueEach(keyed(keys));
        rowlock.jobs().enqueueEach(unique(keys));
        for (int i = 0; i < keys / 10; i++) {
            rowlock.workflows().start(workflow(3));
        }
        heldKeys(keys);
        runAll(rowlock, keys + keys + keys / 10 * 3);
        return meters(rowlock);
    }

    long metersOfTypesThatNobodyKnows(int types) {
        Rowlock rowlock = metered();
        typesThatNobodyKnows(types);
        runAllUnknown(rowlock, types);
        return meters(rowlock);
    }

    private Rowlock metered() {
        registry = new SimpleMeterRegistry();
        JobMetrics metrics = new JobMetrics(registry);
        return built(
                builder(o -> o).observer(metrics).enqueueInterceptors(() -> List.of(new EnqueueMetrics(registry))));
    }

    private long meters(Rowlock rowlock) {
        new Measurements(new Database(database.dataSource(), new Schema("rowlock"))).depth();
        try (NodeMetrics node = new NodeMetrics(rowlock, registry);
                QueueMetrics depth = new QueueMetrics(rowlock.search(), registry);
                DatabaseMetrics figures = new DatabaseMetrics(rowlock.search(), registry)) {
            node.refresh();
            depth.refresh();
            figures.refresh();
            return registry.getMeters().size();
        } finally {
            rowlock.stop();
        }
    }

    // Lines of the log, from a node's start to its stop

    long linesOfJobs(int keys) {
        return lines(built(), rowlock -> {
            rowlock.jobs().enqueueEach(keyed(keys));
            rowlock.jobs().enqueueEach(unique(keys));
            for (int i = 0; i < keys / 10; i++) {
                rowlock.workflows().start(workflow(3));
            }
            awaitRan(keys + keys + keys / 10 * 3);
        });
    }

    long linesOfTypesThatNobodyKnows(int types) {
        typesThatNobodyKnows(types);
        return lines(built(), rowlock -> awaitAllUnknown(types));
    }

    long linesOfQueues(int queues) {
        return lines(rowlocks.built(withQueues(queues)), rowlock -> {});
    }

    /** Jobs that a trigger of somebody's refuses to let begin, and results that another one refuses. */
    long linesOfRefusedJobs(int jobs) {
        sql.sql("""
                CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'job % is refused', NEW.id USING ERRCODE = 'check_violation';
                END $$
                """).update();
        sql.sql("DROP TRIGGER IF EXISTS refuse ON rowlock.running").update();
        sql.sql(
                        "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.running FOR EACH ROW WHEN (NEW.type = 'fail') EXECUTE FUNCTION refuse()")
                .update();
        return lines(built(), rowlock -> {
            rowlock.jobs()
                    .enqueueAll(IntStream.range(0, jobs).mapToObj(Fail::new).toList());
            rowlock.jobs().enqueueAll(works(10));
            awaitRan(10);
            pass(WATCHED);
        });
    }

    long linesOfAnObserverThatThrows(int jobs) {
        JobObserver broken = new JobObserver() {
            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                throw new IllegalStateException("of " + job.id());
            }
        };
        return lines(built(builder(o -> o).observer(broken)), rowlock -> {
            rowlock.jobs().enqueueAll(works(jobs));
            awaitRan(jobs);
        });
    }

    private long lines(Rowlock rowlock, Consumer<Rowlock> work) {
        ran.set(0);
        try (LogLines log = new LogLines("dev.rowlock")) {
            rowlock.start();
            work.accept(rowlock);
            rowlock.stop();
            return log.lines().size();
        }
    }

    // The application

    private Rowlock built() {
        return built(o -> o);
    }

    private Rowlock built(UnaryOperator<ListenerDefinition> options) {
        return built(builder(options));
    }

    private Rowlock built(RowlockBuilder builder) {
        ran.set(0);
        return rowlocks.built(builder);
    }

    private RowlockBuilder builder(UnaryOperator<ListenerDefinition> options) {
        return Rowlocks.quick(pool)
                .unpooled(statements.of(database.unpooled()))
                .listener(Work.class, options, (work, job) -> ran.incrementAndGet())
                .listener(Fail.class, options, (work, job) -> ran.incrementAndGet())
                .listener(Wait.class, options, (work, job) -> {
                    waits.incrementAndGet();
                    over.await();
                });
    }

    private RowlockBuilder withQueues(int queues) {
        RowlockBuilder builder = builder(o -> o);
        for (int i = 0; i < queues; i++) {
            builder = builder.listener(ListenerDefinition.of("type-" + i, (context, payload) -> null)
                    .queue("queue-" + i));
        }
        return builder;
    }

    private static List<Work> works(int jobs) {
        return IntStream.range(0, jobs).mapToObj(Work::new).toList();
    }

    private static List<JobRequest> keyed(int keys) {
        return IntStream.range(0, keys)
                .mapToObj(i -> JobRequest.of(new Work(i), o -> o.key("key-" + i)))
                .toList();
    }

    private static List<JobRequest> unique(int keys) {
        return IntStream.range(0, keys)
                .mapToObj(i -> JobRequest.of(new Work(i), o -> o.unique("unique-" + i)))
                .toList();
    }

    /** Steps one behind the other. */
    private static Workflow workflow(int steps) {
        Workflow workflow = Workflow.named("chain").step("0", new Work(0));
        for (int i = 1; i < steps; i++) {
            String before = String.valueOf(i - 1);
            workflow = workflow.step(String.valueOf(i), new Work(i), s -> s.after(before));
        }
        return workflow;
    }

    /** Keys whose jobs wait behind a failed one. */
    private void heldKeys(int keys) {
        sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', 'default', 'held-' || i, 'work', '{}' FROM generate_series(1, ?) AS i
                """).param(keys).update();
    }

    private void typesThatNobodyKnows(int types) {
        sql.sql("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 'default', 'unknown-' || i, '{}' FROM generate_series(1, ?) AS i
                """).param(types).update();
    }

    private void runAllUnknown(Rowlock rowlock, int types) {
        rowlock.start();
        awaitAllUnknown(types);
    }

    private void awaitAllUnknown(int types) {
        await().atMost(LONG)
                .until(() -> sql.sql("SELECT count(*) FROM rowlock.waiting WHERE reason = 'unknown-type'")
                                .query(Long.class)
                                .single()
                        >= types);
    }

    private void runAll(Rowlock rowlock, int jobs) {
        rowlock.start();
        awaitRan(jobs);
    }

    private void awaitRan(int jobs) {
        await().atMost(LONG)
                .until(() -> ran.get() >= jobs
                        && sql.sql("SELECT count(*) FROM rowlock.running")
                                        .query(Long.class)
                                        .single()
                                == 0);
        ran.set(0);
    }
}
