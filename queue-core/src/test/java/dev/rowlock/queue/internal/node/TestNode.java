package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.run.Extensions.SlowDownHandler;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A node with listeners made of lambdas, on a real database, with intervals fit for tests. */
public final class TestNode implements AutoCloseable {

    /** Quick retries, so that tests need not wait; no jitter, so that they are exact. */
    public static final RetryPolicy QUICK =
            RetryPolicy.fixed(Duration.ofMillis(20)).maxRetries(3);

    public final DataSource pool;
    public final Database database;
    public final JobTemplate jobs;
    public final JobAdmin admin;
    public final JobSearch search;
    public final TransactionTemplate transactions;
    public final JdbcClient sql;
    /** Outside the calling thread's transaction. */
    public final JdbcClient elsewhere;

    public final Others others;

    public final Queue<String> events = new ConcurrentLinkedQueue<>();

    private final Notifier notifier;
    private final WakeupBus wakeups;
    private final DataSource direct;
    private final List<ListenerDefinition> listeners = new ArrayList<>();
    private final List<JobObserver> observers = new ArrayList<>();
    private final List<JobInterceptor> interceptors = new ArrayList<>();
    private final List<AttemptInterceptor> attempts = new ArrayList<>();
    private final List<ErrorRedactor> redactors = new ArrayList<>();
    private WorkerSettings worker = new WorkerSettings(
            4,
            Map.of(),
            new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100),
            Duration.ofSeconds(10),
            false);
    private LeaseSettings lease = new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofMillis(200), 3);
    private RetentionSettings retention = RetentionSettings.DEFAULT;
    private Set<String> left = Set.of();
    private WorkerNode node;

    public TestNode(TestDatabase testDatabase) {
        this(testDatabase, testDatabase.dataSource());
    }

    public TestNode(TestDatabase testDatabase, DataSource pool) {
        this(pool, testDatabase.unpooled());
    }

    /** @param direct for the connections of its own */
    public TestNode(DataSource pool, DataSource direct) {
        this.pool = pool;
        this.direct = direct;
        this.database = new Database(pool, new Schema("rowlock"));
        new SchemaMigrator(pool, database.schema().name(), SchemaMode.MIGRATE).run();
        this.notifier = new Notifier(new SendWakeup(database));
        this.wakeups = new WakeupBus(notifier);
        this.jobs = FrontDoors.jobs(database, codec(), wakeups);
        this.admin = FrontDoors.admin(database, wakeups);
        this.search = FrontDoors.search(database);
        this.transactions = new TransactionTemplate(new DataSourceTransactionManager(pool));
        this.sql = JdbcClient.create(pool);
        this.elsewhere = JdbcClient.create(direct);
        this.others = new Others(database.schema(), direct);
    }

    public static JacksonPayloadCodec codec() {
        return new JacksonPayloadCodec(JsonMapper.builder().build());
    }

    public TestNode listener(Class<?> payload, JobHandler handler) {
        return listener(payload, handler, listener -> listener);
    }

    public TestNode listener(Class<?> payload, JobHandler handler, UnaryOperator<ListenerDefinition> change) {
        listeners.add(change.apply(ListenerDefinition.of(payload.getSimpleName(), handler)
                .name(payload.getSimpleName() + "Listener")
                .retry(QUICK)
                .keepResult(true)));
        return this;
    }

    /** A listener that runs many jobs in one call. */
    public TestNode chunkListener(Class<?> payload, ChunkHandler handler, UnaryOperator<ListenerDefinition> change) {
        ChunkHandler reading = new ChunkHandler() {
            @Override
            public Object read(String json) {
                return codec().decode(json, payload);
            }

            @Override
            public ChunkResult handle(List<ChunkJob<Object>> jobs) throws Throwable {
                return handler.handle(jobs);
            }
        };
        listeners.add(change.apply(ListenerDefinition.ofChunks(payload.getSimpleName(), reading)
                .name(payload.getSimpleName() + "Listener")
                .retry(QUICK)));
        return this;
    }

    public static ListenerDefinition transactional(ListenerDefinition listener) {
        return listener.transactional(true);
    }

    public static UnaryOperator<ListenerDefinition> timeout(Duration timeout) {
        return listener -> listener.timeout(timeout);
    }

    public static UnaryOperator<ListenerDefinition> noRetryFor(Class<? extends Throwable> type) {
        return listener -> listener.noRetryFor(Set.of(type));
    }

    public TestNode observer(JobObserver observer) {
        observers.add(observer);
        return this;
    }

    public TestNode interceptor(JobInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    public TestNode attemptInterceptor(AttemptInterceptor interceptor) {
        attempts.add(interceptor);
        return this;
    }

    public TestNode redactor(ErrorRedactor redactor) {
        redactors.add(redactor);
        return this;
    }

    public TestNode drain(Duration timeout) {
        worker = new WorkerSettings(
                worker.concurrency(), worker.queues(), worker.fetch(), timeout, worker.virtualThreads());
        return this;
    }

    public TestNode virtualThreads() {
        worker = new WorkerSettings(worker.concurrency(), worker.queues(), worker.fetch(), worker.drainTimeout(), true);
        return this;
    }

    public TestNode concurrency(int concurrency) {
        worker = new WorkerSettings(
                concurrency, worker.queues(), worker.fetch(), worker.drainTimeout(), worker.virtualThreads());
        return this;
    }

    public TestNode pollInterval(Duration interval) {
        FetchSettings fetch = worker.fetch();
        worker = new WorkerSettings(
                worker.concurrency(),
                worker.queues(),
                new FetchSettings(interval, fetch.prefetchHorizon(), fetch.maxPrefetch()),
                worker.drainTimeout(),
                worker.virtualThreads());
        return this;
    }

    public TestNode prefetchHorizon(Duration horizon) {
        FetchSettings fetch = worker.fetch();
        worker = new WorkerSettings(
                worker.concurrency(),
                worker.queues(),
                new FetchSettings(fetch.pollInterval(), horizon, fetch.maxPrefetch()),
                worker.drainTimeout(),
                worker.virtualThreads());
        return this;
    }

    public TestNode lease(Duration duration, Duration heartbeat, int maxCrashes) {
        lease = new LeaseSettings("test", duration, heartbeat, maxCrashes);
        return this;
    }

    public TestNode retention(RetentionSettings settings) {
        retention = settings;
        return this;
    }

    public TestNode start() {
        JobObserver observer = new JobObserver() {
            @Override
            public boolean immediate() {
                return true;
            }

            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                events.add(outcome.label() + " " + job.id());
            }

            @Override
            public void lost(ClaimedJob job) {
                events.add("lost " + job.id());
            }
        };
        observers.add(observer);
        node = new WorkerNode(
                new NodeSettings(worker, lease, retention, QUICK, 1 << 20, true),
                new NodeServices(
                        database,
                        direct,
                        codec(),
                        new Extensions(
                                observers,
                                interceptors,
                                attempts,
                                redactors,
                                SlowDownHandler.NONE,
                                Extensions.JobLines.NONE),
                        wakeups,
                        transactions,
                        Admissions.ALL),
                List.of());
        node.leave(left);
        node.start(listeners);
        return this;
    }

    /** As {@link WorkerNode#leave}, also before the start. */
    public void leave(Set<String> types) {
        left = types;
        if (node != null) {
            node.leave(types);
        }
    }

    public void stop() {
        node.stop();
    }

    /**
     * Waits until the node has acted on everything that is committed by now: it beats once, and what it heard is done before
     * the next beat goes out.
     */
    public void awaitTwoHeartbeats() {
        awaitHeartbeats(1);
        awaitHeartbeats(1);
    }

    /** Waits until the nodes have beaten so many more times, all together. */
    public void awaitHeartbeats(int more) {
        long enough = heartbeats() + more;
        patiently().until(() -> heartbeats() >= enough);
    }

    /** Waits until the node hears of what other processes do, and knows its place among the others. */
    public void awaitHearing() {
        Awaitility.await().until(() -> status().hears() && status().nodeId() > 0);
        awaitTwoHeartbeats();
    }

    private long heartbeats() {
        return elsewhere
                .sql("SELECT coalesce(sum(beats), 0)::bigint FROM rowlock.node")
                .query(Long.class)
                .single();
    }

    public NodeStatus status() {
        return node.status();
    }

    public void awaitState(long id, JobState state) {
        patiently()
                .untilAsserted(() -> Assertions.assertThat(
                                search.find(id).orElseThrow().state())
                        .isEqualTo(state));
    }

    public void awaitEvent(String event) {
        patiently().until(() -> events.contains(event));
    }

    /** Waits until so many jobs, or more, have had this outcome. */
    public void awaitEvents(String outcome, int jobs) {
        patiently()
                .until(() -> events.stream()
                                .filter(event -> event.startsWith(outcome + " "))
                                .count()
                        >= jobs);
    }

    public void awaitCount(String room, long jobs) {
        patiently().untilAsserted(() -> Assertions.assertThat(count(room)).isEqualTo(jobs));
    }

    public long count(String room) {
        return sql.sql("SELECT count(*) FROM rowlock." + room).query(Long.class).single();
    }

    private static ConditionFactory patiently() {
        return Awaitility.await().pollInterval(Duration.ofMillis(10));
    }

    @Override
    public void close() {
        if (node != null) {
            node.stop();
        }
        notifier.close();
    }
}
