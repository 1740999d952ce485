package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.test.browser.ManyJobs;
import dev.rowlock.queue.test.browser.Walk;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.time.Duration;
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
import org.springframework.jdbc.core.simple.JdbcClient;

/** Every page and every action with a million jobs in 1,000 queues, while nodes work, for somebody who has logged in by Spring Security. */
@LongRunning
@SpringBootTest(
        classes = SecuredApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            // Whether searches fit into the default is a matter of the machine.
            "rowlock.search.time-limit=25s",
            "logging.level.dev.rowlock.queue.failures=off"
        })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyJobsTest {

    private final String base;
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
        this.base = "http://localhost:%d/rowlock/".formatted(port);
        this.jobs = jobs;
        this.rowlock = rowlock;
        this.sql = sql;
    }

    @BeforeAll
    void fill() {
        ManyJobs.fill(sql);
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
        browser = Browser.start(base);
        browser.driver().get(base);
        browser.type("input[name=username]", "ada").type("input[name=password]", "pw");
        browser.click("button[type=submit]").settled();
        browser.awaitText("#top", "ada · admin");
        // Before somebody has logged in, the browser asks for an icon, and tells that there is none.
        browser.console();
    }

    @AfterAll
    void end() throws InterruptedException {
        load.shutdown();
        load.awaitTermination(30, TimeUnit.SECONDS);
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void everyPageOpens() {
        new Walk(browser, "many").pages();
    }

    @Test
    void everyActionDoesWhatItSays() {
        new Walk(browser, "many").actions("ada");
    }
}
