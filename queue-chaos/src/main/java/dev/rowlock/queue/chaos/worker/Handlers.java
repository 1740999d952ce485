package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The listeners of the load. Each call is logged before and after, whatever happens in between. */
final class Handlers {

    /** Quick, so that a run sees many retries; with jitter, as in life. */
    static final RetryPolicy RETRY = RetryPolicy.exponential(Duration.ofMillis(200), 2, Duration.ofSeconds(2))
            .maxRetries(3);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Acts acts;
    private final JdbcClient sql;
    private final ActionLog log;
    private final ChunkHandlers chunks;

    Handlers(DataSource pool, ActionLog log) {
        this.acts = new Acts(pool);
        this.chunks = new ChunkHandlers(acts, pool, log);
        this.sql = JdbcClient.create(pool);
        this.log = log;
    }

    /** @param fresh whether this is the version of the application that knows the new type */
    List<ListenerDefinition> listeners(int concurrency, boolean fresh) {
        List<ListenerDefinition> listeners = new ArrayList<>(List.of(
                listener("default", "plain", concurrency, false),
                listener("default", "money", concurrency, true),
                listener("default", "cursed", concurrency, false),
                listener("default", "bulky", concurrency, false),
                listener("mixed", "mixed", 4, false),
                listener("poison", "poison", 1, false),
                listener("ticks", "tick", 2, false),
                listener("drafts", "draft", 2, false),
                listener("steered", "steered", 2, false),
                listener("gated", "gated", 4, false),
                listener(Work.Lent.QUEUE, "lent", 4, false),
                listener("ordered", "ordered", 4, false),
                listener(Work.Rated.QUEUE, "rated", 4, false),
                listener("linked", "linked", 4, false),
                listener(Work.Chosen.QUEUE, "chosen", 4, false),
                once(),
                chunks.listener("index", false),
                chunks.listener("ledger", true)));
        Work.Tiny.queues().forEach(queue -> listeners.add(listener(queue, "serves-" + queue, 1, false)));
        if (fresh) {
            listeners.add(listener("default", "fresh", concurrency, false));
        }
        return listeners;
    }

    private ListenerDefinition once() {
        return listener("once", "once", 2, false).timeout(Work.Once.TIMEOUT).retry(RETRY.maxRetries(0));
    }

    private ListenerDefinition listener(String queue, String type, int concurrency, boolean transactional) {
        return ListenerDefinition.of(type, (context, payload) -> handle(context, JSON.readTree(payload), transactional))
                .queue(queue)
                .concurrency(concurrency)
                .retry(RETRY)
                .transactional(transactional)
                .keepResult(true);
    }

    private @Nullable Object handle(JobContext context, JsonNode payload, boolean transactional) throws Exception {
        Traces.found(transactional).forEach(what -> log.trace("job %d found %s".formatted(context.id(), what)));
        log.start(
                context.id(), context.claimToken(), payload.get("uid").asLong(), context.attempt(), context.crashes());
        String how = "killed";
        try {
            if (transactional) {
                sql.sql("INSERT INTO effect (uid, job, token) VALUES (?, ?, ?)")
                        .params(payload.get("uid").asLong(), context.id(), context.claimToken())
                        .update();
            }
            Act act = Act.valueOf(payload.get("act").asString());
            int number = payload.get("number").asInt();
            Object result = acts.play(context, act, number);
            how = "returned";
            return result;
        } catch (Throwable e) {
            how = e.getClass().getSimpleName();
            throw e;
        } finally {
            log.end(context.id(), context.claimToken(), how);
        }
    }
}
