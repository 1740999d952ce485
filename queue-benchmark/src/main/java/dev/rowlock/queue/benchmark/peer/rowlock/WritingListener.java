package dev.rowlock.queue.benchmark.peer.rowlock;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Noop;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A transactional listener that writes one row for each job.
 *
 * @param batch the most jobs of a call; 1 for a listener that runs one job at a time
 */
record WritingListener(DataSource pool, int workers, int batch, Probe probe) implements ListenerSource {

    private static final String ONE = "INSERT INTO effect VALUES (?, ?)";
    private static final String MANY = "INSERT INTO effect SELECT * FROM unnest(?::bigint[], ?::text[])";

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        JdbcTemplate sql = new JdbcTemplate(pool);
        ListenerDefinition listener = batch == 1 ? single(sql, codec) : chunks(sql, codec);
        return List.of(listener.queue(JobTemplate.DEFAULT_QUEUE)
                .concurrency(workers)
                .retry(retry)
                .transactional(true));
    }

    private ListenerDefinition single(JdbcTemplate sql, PayloadCodec codec) {
        return ListenerDefinition.of("noop", (context, payload) -> {
            Noop noop = (Noop) codec.decode(payload, Noop.class);
            sql.update(ONE, noop.seq(), noop.text());
            probe.ran(noop.seq());
            return null;
        });
    }

    private ListenerDefinition chunks(JdbcTemplate sql, PayloadCodec codec) {
        return ListenerDefinition.ofChunks("noop", new ChunkHandler() {
                    @Override
                    public Object read(String json) {
                        return codec.decode(json, Noop.class);
                    }

                    @Override
                    public ChunkResult handle(List<ChunkJob<Object>> jobs) {
                        List<Noop> noops =
                                jobs.stream().map(job -> (Noop) job.payload()).toList();
                        sql.update(
                                MANY,
                                noops.stream().mapToLong(Noop::seq).toArray(),
                                noops.stream().map(Noop::text).toArray(String[]::new));
                        noops.forEach(noop -> probe.ran(noop.seq()));
                        return ChunkResult.ALL_COMPLETED;
                    }
                })
                .batch(batch);
    }

    @Override
    public @Nullable String queueOf(String type) {
        return null;
    }
}
