package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Recurring jobs, page by page, and what became of their last runs. */
@DashboardTest
class SchedulesTest {

    private final Http http;
    private final JdbcClient sql;

    SchedulesTest(@LocalServerPort int port, @Autowired JdbcClient sql) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.sql = sql;
    }

    @BeforeEach
    void sevenRecurringJobs() {
        sql.sql("""
                INSERT INTO rowlock.schedule (name, every_millis, jitter_millis, missed, missed_runs, missed_window_millis,
                                              overlap, rank, queue, type, payload, next_at, fire_at)
                SELECT 'paged-' || n, 86400000, 0, 'run_once', 1, 0, 'skip', 0, 'mail', 'Report', '{}', now() + interval '1 day', now() + interval '1 day'
                  FROM generate_series(1, 7) AS n
                """).update();
    }

    @AfterEach
    void theyAreDeleted() {
        sql.sql("DELETE FROM rowlock.schedule WHERE name LIKE 'paged-%'").update();
        sql.sql("DELETE FROM rowlock.waiting WHERE queue = 'of-schedule'").update();
    }

    @Test
    void allArePagedByName() {
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = http.json("schedules?find=PAGED&size=3" + after, "read_only");
            assertThat(page.get("all").asInt()).isEqualTo(7);
            page.get("schedules").forEach(one -> seen.add(one.get("name").asString()));
            after = page.get("next").isNull()
                    ? null
                    : "&after=" + page.get("next").asString();
        } while (after != null);

        assertThat(seen).containsExactly("paged-1", "paged-2", "paged-3", "paged-4", "paged-5", "paged-6", "paged-7");
    }

    @Test
    void theLastRunsSayWhatBecameOfThemAlsoThoseThatAreNotKeptAnyMore() {
        long waiting = sql.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload)
                VALUES (nextval('rowlock.job_id'), now() + interval '1 day', now(), 'scheduled', 0, 'of-schedule', 'Report', '{}') RETURNING id
                """).query(Long.class).single();
        sql.sql(
                        "UPDATE rowlock.schedule SET last_job_id = ?, recent_job_ids = ARRAY[?, 9223372036854775807] WHERE name = 'paged-4'")
                .params(waiting, waiting)
                .update();

        JsonNode runs = http.json("schedules?find=paged-4", "read_only")
                .get("schedules")
                .get(0)
                .get("runs");

        assertThat(runs).hasSize(2);
        assertThat(runs.get(0).get("job").asString()).isEqualTo(Long.toString(waiting));
        assertThat(runs.get(0).get("state").asString()).isEqualTo("waiting");
        assertThat(runs.get(1).get("state").isNull()).isTrue();
    }
}
