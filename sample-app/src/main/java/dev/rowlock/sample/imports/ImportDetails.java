package dev.rowlock.sample.imports;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What lies behind the figures of an import. */
@Component
class ImportDetails {

    private final JdbcClient jdbc;
    private final JobSearch jobs;

    ImportDetails(JdbcClient jdbc, JobSearch jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    record Summary(
            long id,
            String fileName,
            OffsetDateTime submittedAt,
            @Nullable OffsetDateTime finishedAt) {}

    record Rejection(long line, String sku, String reason) {}

    record Stocked(long line, String sku, String name, BigDecimal price, String node, int attempt) {}

    /** A product whose job is dead. Redriven jobs leave this list. */
    record Dead(long line, String sku, String name, String picture, long jobId, List<Failure> failures) {}

    record Failure(int attempt, Instant at, String type, String message) {}

    private record DeadItem(long line, String sku, String name, String picture, long jobId) {}

    List<Summary> latest(int limit) {
        return jdbc.sql("""
                        SELECT id, file_name, submitted_at, finished_at
                          FROM catalog_import ORDER BY id DESC LIMIT :limit
                        """).param("limit", limit).query(Summary.class).list();
    }

    List<Rejection> rejections(long importId, long afterLine, int limit) {
        return jdbc.sql("""
                        SELECT line, sku, reason FROM rejected_row
                         WHERE import_id = :importId AND line > :afterLine ORDER BY line LIMIT :limit
                        """)
                .param("importId", importId)
                .param("afterLine", afterLine)
                .param("limit", limit)
                .query(Rejection.class)
                .list();
    }

    /** The latest ones first. */
    List<Stocked> stocked(long importId, int limit) {
        return jdbc.sql("""
                        SELECT m.line, m.sku, i.name, i.price, m.node, m.attempt
                          FROM stock_movement m JOIN import_item i ON i.import_id = m.import_id AND i.line = m.line
                         WHERE m.import_id = :importId ORDER BY m.id DESC LIMIT :limit
                        """)
                .param("importId", importId)
                .param("limit", limit)
                .query(Stocked.class)
                .list();
    }

    List<Dead> dead(long importId, long afterLine, int limit) {
        List<DeadItem> items = jdbc.sql("""
                        SELECT i.line, i.sku, i.name, i.picture, i.job_id
                          FROM import_item i JOIN rowlock.job j ON j.id = i.job_id
                         WHERE i.import_id = :importId AND i.line > :afterLine AND i.done_at IS NULL
                           AND j.state IN ('dead', 'quarantined')
                         ORDER BY i.line LIMIT :limit
                        """)
                .param("importId", importId)
                .param("afterLine", afterLine)
                .param("limit", limit)
                .query(DeadItem.class)
                .list();
        return items.stream()
                .map(item -> new Dead(
                        item.line(), item.sku(), item.name(), item.picture(), item.jobId(), failures(item.jobId())))
                .toList();
    }

    private List<Failure> failures(long jobId) {
        return jobs.find(jobId).map(JobDetails::errors).orElse(List.of()).stream()
                .map(error -> new Failure(error.attempt(), error.at(), error.type(), error.message()))
                .toList();
    }
}
