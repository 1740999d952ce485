package dev.rowlock.sample.imports;

import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Counts where the rows of an import are, in one statement: business tables say which products are done, Rowlock's
 * view {@code job_details} where the jobs of the others are. Both change in the same transactions, so that the figures
 * add up at any moment.
 */
@Component
class ImportProgressQuery {

    private static final String SQL = """
            SELECT i.id, i.file_name, i.submitted_at, i.finished_at, i.row_count AS rows,
                   (SELECT state FROM rowlock.job WHERE id = i.job_id) AS reader_state,
                   (SELECT count(*) FROM rejected_row r WHERE r.import_id = i.id) AS rejected,
                   (SELECT count(*) FROM import_item p WHERE p.import_id = i.id AND p.done_at IS NOT NULL) AS resized,
                   (SELECT count(*) FROM stock_movement m WHERE m.import_id = i.id AND m.attempt > 1) AS recovered,
                   others.*
              FROM catalog_import i
             CROSS JOIN LATERAL (
                   -- The jobs of those that are not done, only: all jobs that ever completed may be many.
                   SELECT count(*) FILTER (WHERE j.state = 'running') AS running,
                          count(*) FILTER (WHERE j.state IN ('ready', 'waiting') AND j.errors IS NULL) AS queued,
                          count(*) FILTER (WHERE j.state IN ('ready', 'waiting') AND j.errors IS NOT NULL) AS retrying,
                          count(*) FILTER (WHERE j.state IN ('dead', 'quarantined')) AS dead,
                          count(*) FILTER (WHERE j.id IS NULL OR j.state = 'cancelled') AS withdrawn
                     FROM import_item p
                     LEFT JOIN rowlock.job_details j ON j.id = p.job_id
                    WHERE p.import_id = i.id AND p.done_at IS NULL) others
             WHERE i.id = :id
            """;

    private final JdbcClient jdbc;

    ImportProgressQuery(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Which process did how many. */
    record NodeShare(String node, long products) {}

    record Report(ImportProgress progress, List<NodeShare> nodes) {}

    Optional<ImportProgress> of(long importId) {
        return jdbc.sql(SQL).param("id", importId).query(ImportProgress.class).optional();
    }

    /** All of it as of one moment, so that its parts agree. */
    @Transactional(readOnly = true, isolation = Isolation.REPEATABLE_READ)
    Optional<Report> report(long importId) {
        return of(importId).map(progress -> new Report(progress, nodes(importId)));
    }

    private List<NodeShare> nodes(long importId) {
        return jdbc.sql("""
                        SELECT node, count(*) AS products FROM stock_movement
                         WHERE import_id = :importId GROUP BY node ORDER BY node
                        """).param("importId", importId).query(NodeShare.class).list();
    }
}
