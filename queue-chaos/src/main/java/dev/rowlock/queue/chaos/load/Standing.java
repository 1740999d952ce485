package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Work.Shared;
import dev.rowlock.queue.job.JobOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Keeps jobs of each key ready in the queue whose keys share run time, for several seconds of all threads: only while all have some, they
 * must get their shares. Not thread-safe.
 */
final class Standing {

    private static final Duration EACH = Duration.ofSeconds(1);

    /** The run time that is ready for each unit of weight: all threads of three nodes need about five seconds for it. */
    private static final Duration READY = Duration.ofMillis(7_500);

    private final Producer producer;
    private final JdbcClient sql;
    private long lookedAt = System.nanoTime() - EACH.toNanos();

    Standing(Producer producer, DataSource dataSource) {
        this.producer = producer;
        this.sql = JdbcClient.create(dataSource);
    }

    /** Brings what is missing, once a second. */
    void next() {
        if (System.nanoTime() - lookedAt < EACH.toNanos()) {
            return;
        }
        lookedAt = System.nanoTime();
        Map<String, Integer> ready = new HashMap<>();
        try {
            sql.sql("SELECT job_key, count(*) FROM rowlock.ready WHERE queue = ? GROUP BY job_key")
                    .param(Shared.QUEUE)
                    .query(row -> {
                        ready.put(row.getString(1), row.getInt(2));
                    });
        } catch (DataAccessException e) {
            return; // the database is away: nobody claims any either
        }
        Stream.of(Sharer.values()).forEach(sharer -> bring(sharer, ready.getOrDefault(sharer.key(), 0)));
    }

    private void bring(Sharer sharer, int ready) {
        long wanted = READY.toMillis() * sharer.weight() / sharer.millis();
        List<Shared> missing = Stream.generate(() -> new Shared(producer.nextUid(), Act.SLEEP, sharer.millis()))
                .limit(Math.max(0, wanted - ready))
                .toList();
        if (!missing.isEmpty()) {
            producer.enqueueAll(missing, JobOptions.NONE, true);
        }
    }
}
