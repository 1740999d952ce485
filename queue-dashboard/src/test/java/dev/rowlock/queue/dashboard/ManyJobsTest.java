package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.dashboard.browser.Browser;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Every page with a million jobs in 1,000 queues, while nodes work. */
@SpringBootTest(
        classes = PlainApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"rowlock.dashboard.enabled=true", "logging.level.dev.rowlock.queue.failures=off"})
@Import(PostgresTestConfiguration.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyJobsTest {

    private static final int MILLION = 1_000_000;

    private final int port;
    private final JobTemplate jobs;
    private final Rowlock rowlock;
    private final JdbcClient sql;
    private final ExecutorService load = Executors.newSingleThreadExecutor();
    private Browser browser;

    ManyJobsTest(
            @LocalServerPort int port,
            @Autowired JobTemplate jobs,
            @Autowired Rowlock rowlock,
            @Autowired JdbcClient sql) {
        this.port = port;
        this.jobs = jobs;
        this.rowlock = rowlock;
        this.sql = sql;
    }

    @BeforeAll
    void fill() {
        sql.sql("""
                INSERT INTO rowlock.ready (id, queue, type, rank, payload, enqueued_at, ready_at, job_key)
                SELECT nextval('rowlock.job_id'), 'bulk-' || i % 1000, 'import', 0, '{}', now(), now(), 'tenant-' || i % 100000
                  FROM generate_series(1, ?) AS i
                """).param(MILLION / 2).update();
        sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, claimed_at, rank, attempt, crashes, state, queue, type, payload, errors)
                SELECT nextval('rowlock.job_id'), now() - i * interval '1 ms', now() - interval '1 h', now(), 0, 1, 0, 'failed',
                       'bulk-' || i % 1000, 'import', '{}',
                       jsonb_build_array(jsonb_build_object(
                           'attempt', 1, 'at', now(), 'type', 'E' || i % 300, 'message', 'it is broken', 'trace', ''))
                  FROM generate_series(1, ?) AS i
                """).param(MILLION / 2).update();
        sql.sql("ANALYZE").update();
        load.execute(() -> {
            while (!load.isShutdown()) {
                jobs.enqueueAll(IntStream.range(0, 200)
                        .mapToObj(i -> new SendMail("customer-" + i + "@example.com", null))
                        .toList());
            }
        });
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> rowlock.search().depths().size() > 1_000);
        browser = Browser.start("http://localhost:%d/rowlock/".formatted(port)).cookie("level", "admin");
    }

    @AfterAll
    void end() throws InterruptedException {
        load.shutdown();
        load.awaitTermination(30, TimeUnit.SECONDS);
        if (browser != null) {
            browser.close();
        }
    }

    /** The browser waits for 15 seconds at most; each page and its counts must be there long before. */
    @Test
    void everyPageOpensWithinSeconds() {
        for (String page : List.of(
                "",
                "jobs",
                "jobs?state=ready",
                "jobs?queue=bulk-7&state=waiting,ready,running,failed,quarantined",
                "jobs?state=failed&errorType=E7",
                "jobs?key=tenant-77&state=ready",
                "jobs?state=failed&before=600000",
                "errors",
                "errors?queue=bulk-7",
                "schedules",
                "gates",
                "nodes",
                "audit")) {
            browser.open("?warm#/audit");
            long begun = System.nanoTime();

            browser.open("?many#/" + page);

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(page).isLessThan(Duration.ofSeconds(10));
            assertThat(browser.count("main .error[role=alert]")).as(page).isZero();
            browser.screenshot("many-" + (page.isEmpty() ? "overview" : page.replaceAll("[^a-zA-Z0-9]+", "-")));
        }
        browser.requireQuietConsole();
    }

    @Test
    void halfAMillionJobsAreCountedUpToALimitAndAnActionOnThemIsStopped() {
        browser.open("?action#/errors");
        browser.click("tbody tr:first-child button[data-all=redrive]");
        browser.awaitText("dialog h2", "Redrive: 1,667 jobs");
        browser.clickText("dialog button", "Cancel");
        browser.open("?action#/jobs?state=failed").click("button[data-all=discard]");
        browser.awaitText("dialog h2", "Delete: 100,000+ jobs");
        browser.type("dialog input[name=rate]", "100").click("dialog [data-confirm]");
        browser.awaitText("dialog", "running");
        browser.clickText("dialog button", "Stop");
        browser.awaitText("dialog", "cancelled:");
        browser.requireQuietConsole();
    }
}
