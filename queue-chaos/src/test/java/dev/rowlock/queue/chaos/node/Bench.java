package dev.rowlock.queue.chaos.node;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** A node in this process, with listeners made of lambdas that fail once and for all. */
final class Bench implements AutoCloseable {

    static final RetryPolicy NO_RETRY = RetryPolicy.never();

    final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build());
    final JobTemplate jobs;
    final JobSearch search;
    final JdbcClient sql;
    final DataSource pool;
    private final Rowlock rowlock;
    private final List<ListenerDefinition> listeners = new ArrayList<>();

    Bench(TestDatabase testDatabase) {
        this.pool = testDatabase.dataSource();
        this.rowlock = Rowlock.builder(pool)
                .unpooled(testDatabase.unpooled())
                .notifications(false)
                .keepAlive(false)
                .codec(codec)
                .maxPayload(4 << 20)
                .retry(NO_RETRY)
                .lease(LeaseSettings.defaults("bench"))
                .worker(new WorkerSettings(
                        4,
                        Map.of(),
                        new FetchSettings(Duration.ofMillis(100), Duration.ofMillis(250), 100),
                        Duration.ofSeconds(5),
                        false))
                .listeners(new Added())
                .build();
        this.jobs = rowlock.jobs();
        this.search = rowlock.search();
        this.sql = JdbcClient.create(pool);
    }

    /** Those that have been added by the time of the start. */
    private final class Added implements ListenerSource {

        @Override
        public List<ListenerDefinition> listeners(PayloadCodec ignored, RetryPolicy retry) {
            return listeners;
        }

        @Override
        public @Nullable String queueOf(String type) {
            return null;
        }
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
        rowlock.start();
        return this;
    }

    /** Waits until the job has ended and returns it. Meanwhile its payload, which may be large, is not read. */
    JobDetails ended(long id) {
        Awaitility.await()
                .until(() -> sql.sql(
                                "SELECT state NOT IN ('waiting', 'ready', 'running') FROM rowlock.job WHERE id = ?")
                        .param(id)
                        .query(Boolean.class)
                        .single());
        return search.find(id).orElseThrow();
    }

    JobState end(long id) {
        return ended(id).state();
    }

    @Override
    public void close() {
        rowlock.close();
    }
}
