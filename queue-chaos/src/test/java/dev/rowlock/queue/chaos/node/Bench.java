package dev.rowlock.queue.chaos.node;

import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.schema.SchemaMigrator;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.SchemaMode;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.spi.WorkerSettings;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A node in this process, with listeners made of lambdas that fail once and for all. */
final class Bench implements AutoCloseable {

    static final RetryPolicy NO_RETRY = RetryPolicy.never();

    final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build());
    final JobTemplate jobs;
    final JobSearch search;
    final JdbcClient sql;
    private final WorkerNode node;
    private final List<ListenerDefinition> listeners = new ArrayList<>();

    Bench(TestDatabase testDatabase) {
        DataSource pool = testDatabase.dataSource();
        Database database = new Database(pool, new Schema("rowlock"));
        new SchemaMigrator(pool, database.schema(), SchemaMode.MIGRATE).run();
        WakeupBus wakeups = new WakeupBus(Wakeups.NONE);
        this.jobs = new JobTemplate(database, codec, 4 << 20, type -> null, wakeups);
        this.search = new JobSearch(database);
        this.sql = JdbcClient.create(pool);
        WorkerSettings worker = new WorkerSettings(
                4,
                Map.of(),
                new FetchSettings(Duration.ofMillis(100), Duration.ofMillis(250), 100),
                Duration.ofSeconds(5),
                false);
        this.node = new WorkerNode(
                new NodeSettings(
                        worker, LeaseSettings.defaults("bench"), RetentionSettings.DEFAULT, NO_RETRY, 4 << 20, true),
                new NodeServices(
                        database,
                        testDatabase.unpooled(),
                        codec,
                        Extensions.NONE,
                        wakeups,
                        new TransactionTemplate(new DataSourceTransactionManager(pool))));
    }

    Bench listener(Class<?> payload, JobHandler handler) {
        return listener(payload, false, handler);
    }

    Bench listener(Class<?> payload, boolean transactional, JobHandler handler) {
        String type = JobTypes.typeOf(payload);
        listeners.add(ListenerDefinition.of(type, handler)
                .retry(NO_RETRY)
                .transactional(transactional)
                .keepResult(true));
        return this;
    }

    Bench start() {
        node.start(listeners);
        return this;
    }

    /** Waits until the job has ended and returns it. */
    JobDetails ended(long id) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !search.find(id).orElseThrow().state().live());
        return search.find(id).orElseThrow();
    }

    JobState end(long id) {
        return ended(id).state();
    }

    @Override
    public void close() {
        node.stop();
    }
}
