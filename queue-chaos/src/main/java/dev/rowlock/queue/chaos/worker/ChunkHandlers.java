package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Listeners that run many jobs in one call. A job that fails, fails its call. The first call with a job is its begin; the first
 * that returns, or throws with no other job, is its end.
 */
final class ChunkHandlers {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Acts acts;
    private final JdbcClient sql;
    private final ActionLog log;
    private final Set<Long> begun = ConcurrentHashMap.newKeySet(); // tokens

    ChunkHandlers(Acts acts, DataSource pool, ActionLog log) {
        this.acts = acts;
        this.sql = JdbcClient.create(pool);
        this.log = log;
    }

    /** In the queue of the same name. */
    ListenerDefinition listener(String type, boolean transactional) {
        ChunkHandler handler = new ChunkHandler() {
            @Override
            public Object read(String json) {
                return JSON.readTree(json);
            }

            @Override
            public ChunkResult handle(List<ChunkJob<Object>> jobs) throws Throwable {
                return call(jobs, transactional);
            }
        };
        return ListenerDefinition.ofChunks(type, handler)
                .queue(type)
                .concurrency(2)
                .batch(20)
                .linger(Duration.ofMillis(100))
                .retry(Handlers.RETRY)
                .transactional(transactional);
    }

    private ChunkResult call(List<ChunkJob<Object>> jobs, boolean transactional) throws Throwable {
        Traces.found(transactional).forEach(what -> log.trace("a chunk found " + what));
        jobs.forEach(this::begin);
        String how = "killed";
        try {
            if (transactional) {
                jobs.forEach(this::write);
            }
            for (ChunkJob<Object> job : jobs) {
                JsonNode payload = (JsonNode) job.payload();
                acts.play(
                        job.context(),
                        Act.valueOf(payload.get("act").asString()),
                        payload.get("number").asInt());
            }
            how = "returned";
            return ChunkResult.ALL_COMPLETED;
        } catch (Throwable e) {
            how = e.getClass().getSimpleName();
            throw e;
        } finally {
            if (jobs.size() == 1 || how.equals("returned")) {
                for (ChunkJob<Object> job : jobs) {
                    log.end(job.id(), job.context().claimToken(), how);
                }
            }
        }
    }

    private void begin(ChunkJob<Object> job) {
        JobContext context = job.context();
        if (begun.add(context.claimToken())) {
            log.start(context.id(), context.claimToken(), uid(job), context.attempt(), context.crashes());
        }
    }

    private void write(ChunkJob<Object> job) {
        sql.sql("INSERT INTO effect (uid, job, token) VALUES (?, ?, ?)")
                .params(uid(job), job.id(), job.context().claimToken())
                .update();
    }

    private static long uid(ChunkJob<Object> job) {
        return ((JsonNode) job.payload()).get("uid").asLong();
    }
}
