package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.chaos.load.Work.Gated;
import dev.rowlock.queue.chaos.load.Work.Linked;
import dev.rowlock.queue.chaos.load.Work.Ordered;
import dev.rowlock.queue.chaos.load.Work.Rated;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Asks of jobs that wait why they do. One thread asks, others may look. */
public final class Questions {

    private static final Duration EACH = Duration.ofMillis(400);

    /** Those whose answers can be compared with what else is known: one of each queue, picked at random. */
    private static final String WAITING = """
            SELECT (SELECT id FROM rowlock.ready WHERE queue = q.name ORDER BY random() LIMIT 1)
              FROM unnest(string_to_array(?, ',')) AS q (name)
             UNION ALL
            SELECT (SELECT id FROM rowlock.waiting WHERE queue = ? AND reason = 'parents' ORDER BY random() LIMIT 1)
            """;

    private static final String QUEUES = String.join(",", Gated.QUEUE, Rated.QUEUE, Ordered.QUEUE);

    private static final Logger log = LoggerFactory.getLogger(Questions.class);

    /** What was answered, and when it was asked and answered, in nanos. */
    public record Asked(long job, long from, long to, List<Kind> kinds) {

        public Asked {
            kinds = List.copyOf(kinds);
        }
    }

    private final JobSearch search;
    private final JdbcClient sql;
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private long last = System.nanoTime();

    Questions(JobSearch search, DataSource dataSource) {
        this.search = search;
        this.sql = JdbcClient.create(dataSource);
    }

    /** All that were answered. */
    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** Asks of some jobs, several times a second. */
    void next() {
        if (System.nanoTime() - last < EACH.toNanos()) {
            return;
        }
        last = System.nanoTime();
        try {
            sql.sql(WAITING).params(QUEUES, Linked.QUEUE).query(Long.class).list().stream()
                    .filter(id -> id != null)
                    .forEach(this::ask);
        } catch (RuntimeException e) {
            log.debug("the database may be away", e);
        }
    }

    private void ask(long job) {
        long from = System.nanoTime();
        search.explain(job)
                .map(Explanation::reasons)
                .ifPresent(reasons -> asked.add(new Asked(
                        job,
                        from,
                        System.nanoTime(),
                        reasons.stream().map(Reason::kind).toList())));
    }
}
