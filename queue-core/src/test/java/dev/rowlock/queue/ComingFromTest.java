package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The statements of docs/coming-from.md that move jobs of other schedulers, on tables as those make them. */
@PostgresTest(freshPerTest = true, migrated = true)
class ComingFromTest {

    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    /** As JobRunr 8.7 writes a request with Jackson 3. */
    private static final String JSON = """
            {"id":"01a221b1-f566-7675-8785-03ea9da71a27","version":0,"jobDetails":{"className":"%1$s","methodName":"run","jobParameters":\
            [{"className":"com.example.Request","actualClassName":"com.example.Request","object":{"orderId":%2$d}}],"cacheable":true},\
            "jobHistory":[{"@class":"org.jobrunr.jobs.states.EnqueuedState","createdAt":"2026-11-28T10:27:22.020645187Z","state":"ENQUEUED"}],\
            "metadata":{"@class":"java.util.concurrent.ConcurrentHashMap"},"jobSignature":"%1$s.run(com.example.Request)","labels":[]}""";

    private final JdbcClient jdbc;

    ComingFromTest(TestDatabase database) {
        jdbc = JdbcClient.create(database.dataSource());
    }

    @AfterEach
    void dropTables() {
        jdbc.sql("DROP TABLE IF EXISTS scheduled_tasks, jobrunr_jobs").update();
    }

    @Test
    void tasksOfDbSchedulerThatWaitAreMovedWithTheirInstanceAsUniqueKey() throws IOException {
        jdbc.sql("""
                CREATE TABLE scheduled_tasks (
                  task_name text NOT NULL, task_instance text NOT NULL, task_data bytea, execution_time timestamptz, picked boolean NOT NULL,
                  picked_by text, last_success timestamptz, last_failure timestamptz, consecutive_failures int, last_heartbeat timestamptz,
                  version bigint NOT NULL, priority smallint, state text, PRIMARY KEY (task_name, task_instance))""").update();
        task("send-invoice", "42", false, "now() + interval '1 day'");
        task("send-invoice", "43", true, "now()");
        task("send-invoice", "44", false, "NULL");
        task("send-report", "42", false, "now()");

        jdbc.sql(statement("scheduled_tasks")).query().listOfRows();

        assertThat(jobs())
                .containsExactly(Map.of(
                        "type", "send-invoice", "queue", "mail", "state", "waiting", "payload", "{\"orderId\": 42}"));
        assertThat(jdbc.sql("SELECT headers ->> 'rowlock-unique-key' FROM rowlock.job_details")
                        .query(String.class)
                        .single())
                .isEqualTo("42");
        assertThat(jdbc.sql("SELECT count(*) FROM scheduled_tasks")
                        .query(Long.class)
                        .single())
                .isEqualTo(3);
    }

    private void task(String name, String instance, boolean picked, String time) {
        jdbc.sql(
                        "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version) VALUES (?, ?, ?, %s, ?, 1)"
                                .formatted(time))
                .params(
                        name,
                        instance,
                        "{\"orderId\": %s}".formatted(instance).getBytes(StandardCharsets.UTF_8),
                        picked)
                .update();
    }

    @Test
    void jobRequestsOfJobRunrThatWaitAreMoved() throws IOException {
        jdbc.sql("""
                CREATE TABLE jobrunr_jobs (
                  id nchar(36) PRIMARY KEY, version int NOT NULL, jobAsJson text NOT NULL, jobSignature varchar(512) NOT NULL, state varchar(36) NOT NULL,
                  createdAt timestamp NOT NULL, updatedAt timestamp NOT NULL, scheduledAt timestamp, recurringJobId varchar(128))""").update();
        request("com.example.SendInvoiceHandler", 42, "SCHEDULED", "now() AT TIME ZONE 'UTC' + interval '1 hour'");
        request("com.example.SendInvoiceHandler", 43, "ENQUEUED", "NULL");
        request("com.example.SendInvoiceHandler", 44, "PROCESSING", "NULL");
        request("com.example.SendReportHandler", 45, "ENQUEUED", "NULL");

        jdbc.sql(statement("jobrunr_jobs")).query().listOfRows();

        assertThat(jobs())
                .containsExactlyInAnyOrder(
                        Map.of(
                                "type",
                                "send-invoice",
                                "queue",
                                "mail",
                                "state",
                                "waiting",
                                "payload",
                                "{\"orderId\": 42}"),
                        Map.of(
                                "type",
                                "send-invoice",
                                "queue",
                                "mail",
                                "state",
                                "ready",
                                "payload",
                                "{\"orderId\": 43}"));
        assertThat(jdbc.sql(
                                "SELECT due_at BETWEEN now() + interval '59 min' AND now() + interval '1 hour' FROM rowlock.job_details WHERE state = 'waiting'")
                        .query(Boolean.class)
                        .single())
                .isTrue();
        assertThat(jdbc.sql("SELECT count(*) FROM jobrunr_jobs")
                        .query(Long.class)
                        .single())
                .isEqualTo(2);
    }

    private void request(String handler, int order, String state, String time) {
        jdbc.sql(
                        "INSERT INTO jobrunr_jobs VALUES (gen_random_uuid(), 1, ?, 'signature', ?, now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC', %s)"
                                .formatted(time))
                .params(JSON.formatted(handler, order), state)
                .update();
    }

    private List<Map<String, Object>> jobs() {
        return jdbc.sql("SELECT type, queue, state, payload::text FROM rowlock.job_details")
                .query()
                .listOfRows();
    }

    private static String statement(String table) throws IOException {
        return SQL.matcher(Files.readString(Path.of("../docs/coming-from.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .filter(sql -> sql.contains(table))
                .findFirst()
                .orElseThrow()
                .replace(";", "");
    }
}
