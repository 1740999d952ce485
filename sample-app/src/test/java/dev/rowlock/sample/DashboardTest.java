package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.test.browser.ManyJobs;
import dev.rowlock.queue.test.browser.Walk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The dashboard after an import, as a newcomer uses it. {@code mvn -pl sample-app -am test -Dtest=DashboardTest -Drowlock.test.docs.write=true
 * -Dsurefire.failIfNoSpecifiedTests=false} makes the picture of the README anew.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.worker.node-name=shop-1",
            // The third retry of a picture comes as soon as the first.
            "rowlock.queues.products.retry.max-interval=2s",
            // Whether searches fit into the default is a matter of the machine.
            "rowlock.search.time-limit=25s",
            "logging.level.dev.rowlock.queue.failures=off"
        })
@AutoConfigureEmbeddedPostgres
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DashboardTest {

    private static final Path PICTURE = Path.of("..", "docs", "pictures", "dashboard.png");

    private static final boolean WRITES = Boolean.getBoolean("rowlock.test.docs.write");

    private final int port;
    private final Shop shop;
    private final JobAdmin admin;
    private final JobSearch search;
    private final JdbcClient sql;
    private Browser browser;

    DashboardTest(
            @LocalServerPort int port,
            @Autowired JobAdmin admin,
            @Autowired JobSearch search,
            @Autowired JdbcClient sql) {
        this.port = port;
        this.shop = new Shop(port);
        this.admin = admin;
        this.search = search;
        this.sql = sql;
    }

    @BeforeAll
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void importACatalog() throws IOException {
        // Who makes the picture waits for all of it.
        long id = WRITES ? shop.importSampleCatalog() : shop.importQuarterOfSampleCatalog();
        shop.awaitEnd(id, Duration.ofMinutes(3));
        browser = Browser.start("http://localhost:%d/rowlock/".formatted(port));
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
    }

    @AfterEach
    void theConsoleHasSaidNothing() {
        browser.requireQuietConsole();
    }

    @Test
    void thePageOfTheShopLeadsToIt() {
        browser.driver().get("http://localhost:%d/".formatted(port));
        // The page of the shop grows while the import is fetched: a click may miss the link.
        browser.await("the dashboard", d -> {
            if (!d.getCurrentUrl().contains("/rowlock/")) {
                browser.clickText("footer a", "dashboard");
            }
            return d.getCurrentUrl().contains("/rowlock/");
        });
        browser.settled();

        browser.awaitText("#top", "Catalog imports");
    }

    @Test
    void everyPageOpensWithoutBarriers() {
        for (String page : List.of("", "jobs", "errors", "schedules", "gates", "actions", "nodes", "doctor", "audit")) {
            browser.open("?all#/" + page);

            assertThat(browser.barriers()).as(page).isEmpty();
        }
    }

    @Test
    void thePictureOfTheReadmeIsOfThisBuild() throws IOException {
        browser.open("?picture#/");
        browser.await(
                "what one node has measured for all", d -> browser.text("main").contains("products"));
        browser.await("findings", d -> !browser.text("main").contains("The doctor looks"));
        browser.await(
                "a queue whose jobs have all ended", d -> browser.text("main").contains("notifications"));
        browser.await("the hour", d -> browser.count("main .chart polyline, main svg.spark") > 1);
        Path picture = browser.screenshot("dashboard");
        browser.open("?picture#/errors");
        browser.screenshot("errors");

        if (WRITES) {
            Files.copy(picture, PICTURE, StandardCopyOption.REPLACE_EXISTING);
        }
        assertThat(PICTURE).exists();
    }

    /** From the first page to the end of the action, by what stands on the pages: it takes a person less than a minute. */
    @Test
    void aNewcomerRedrivesAllJobsOfAnErrorGroup() {
        browser.open("");
        browser.click("#top a[data-path=errors]").settled();
        browser.click("tbody tr:first-child button[data-all=redrive]");
        browser.click("dialog [data-confirm]");
        browser.awaitText("dialog", "finished");
        browser.clickText("dialog button", "Close");

        assertThat(admin.audit(null, 1)).singleElement().satisfies(line -> {
            assertThat(line.who()).isEqualTo("demo");
            assertThat(line.action()).isEqualTo("redrive");
            assertThat(line.jobs()).isPositive();
        });
    }

    /** The last one: the others look at what an import leaves, and nothing else. */
    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("long")
    void everyPageAndActionWorksAmongAMillionJobsWhileACatalogIsImported() {
        ManyJobs.fill(sql);
        long running = shop.importSampleCatalog();
        await().atMost(Duration.ofMinutes(1)).until(() -> search.depths().size() > 1_000);
        Walk walk = new Walk(browser, "sample");

        walk.pages();
        shop.importSampleCatalog();
        walk.actions("demo");

        shop.awaitEnd(running, Duration.ofMinutes(3));
    }

    @Test
    void whoComesThroughAProxyDoesNotGetIn() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:%d/rowlock/".formatted(port)))
                .header("X-Forwarded-For", "203.0.113.7")
                .build();

        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(403);
    }
}
