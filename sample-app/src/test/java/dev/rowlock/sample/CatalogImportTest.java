package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Imports the shipped catalog once, over HTTP, and looks at what became of it from all sides. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.worker.node-name=here",
            // The third retry of a picture comes as soon as the first.
            "rowlock.queues.products.retry.max-interval=2s"
        })
@AutoConfigureEmbeddedPostgres
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CatalogImportTest {

    /** Figures are measured each 15 and each 30 seconds. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Shop shop;
    private final JdbcClient jdbc;
    private final JobAdmin admin;
    private long id;

    CatalogImportTest(@LocalServerPort int port, @Autowired JdbcClient jdbc, @Autowired JobAdmin admin) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
        this.admin = admin;
    }

    /** What some figures need is there before the import, so that one measurement is of both. */
    @BeforeAll
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void importTheCatalog() {
        haveWhatMetersAreOf();
        id = shop.importSampleCatalog();
        shop.awaitEnd(id, Duration.ofMinutes(3));
    }

    /** Pauses, policies and the age of what waits are there only while there is such a thing. */
    private void haveWhatMetersAreOf() {
        admin.pause("elsewhere");
        jdbc.sql("SELECT rowlock.enqueue('Drift', '{}', queue => 'elsewhere')")
                .query()
                .singleRow();
        havePolicy();
    }

    /** One that nobody asks is forgotten after a minute. */
    private void havePolicy() {
        jdbc.sql("""
                        INSERT INTO rowlock.policy (queue, decides_until, asked_at) VALUES ('elsewhere', now(), now())
                        ON CONFLICT (queue) DO UPDATE SET asked_at = excluded.asked_at
                        """).update();
    }

    @Test
    void allRowsAreAccountedFor() {
        Shop.Progress progress = shop.progress(id);

        assertThat(progress).isEqualTo(Shop.Progress.OF_THE_SAMPLE_CATALOG);
        assertThat(shop.rejections(id))
                .hasSize(24)
                .allSatisfy(row -> assertThat(row.reason()).isNotEmpty());
        assertThat(shop.dead(id))
                .hasSize(12)
                .allSatisfy(one -> assertThat(one.failures()).isNotEmpty());
    }

    @Test
    void aBrokenPictureIsNotTriedAgainAndAnAbsentOneIs() {
        assertThat(shop.dead(id))
                .allSatisfy(
                        one -> assertThat(one.failures()).hasSize(one.picture().startsWith("broken-") ? 1 : 4));
    }

    @Test
    void everyProductIsInStockOnce() {
        new Books(jdbc).requireEveryProductOnce(id, 964);
    }

    @Test
    void noJobIsLost() {
        new Books(jdbc)
                .requireConservation(Map.of(
                        "import-catalog",
                        1L,
                        "stock-product",
                        976L,
                        "finish-import",
                        1L,
                        "send-notification",
                        1L,
                        "Drift",
                        1L));
    }

    @Test
    void oneNotificationIsSent() {
        await().atMost(LONGEST).until(() -> !shop.notifications().isEmpty());

        assertThat(shop.notifications())
                .extracting(Shop.Notification::message)
                .containsExactly("sample-catalog.csv: 964 of 1000 products in stock, 24 rejected, 12 dead");
    }

    @Test
    void theMetersAgreeWithTheTables() {
        // A job is counted right after its commit, which is what ends the import.
        await().atMost(LONGEST).untilAsserted(() -> {
            Meters meters = new Meters(shop);
            assertThat(meters.sum("rowlock_job_process_seconds_count", "type", "stock-product", "outcome", "completed"))
                    .isEqualTo(964);
            assertThat(meters.sum("rowlock_job_failures_total", "queue", "products", "terminal", "true"))
                    .isEqualTo(12);
            assertThat(meters.sum("rowlock_job_failures_total", "queue", "products", "terminal", "false"))
                    .isEqualTo(30 + 4 * 3);
        });
        // One node measures the depth for all, every 15 s.
        await().atMost(LONGEST)
                .untilAsserted(() -> assertThat(
                                new Meters(shop).sum("rowlock_queue_jobs", "queue", "products", "room", "dead"))
                        .isEqualTo(12));
    }

    @Test
    void rulesAndDashboardsUseOnlyMetersThatAScrapeHas() {
        havePolicy();
        Set<String> used = OperationsFiles.meters();

        await().atMost(LONGEST)
                .untilAsserted(() -> assertThat(new Meters(shop).names()).containsAll(used));

        assertThat(used).hasSizeGreaterThan(20);
    }

    /** More often than there are connections: none of them may be kept. */
    @Test
    void anImportCanBeWatchedForLong() {
        for (int look = 0; look < 15; look++) {
            assertThat(shop.progress(id).ended()).isTrue();
            assertThat(shop.rejections(id)).isNotEmpty();
            assertThat(shop.dead(id)).isNotEmpty();
            assertThat(shop.stocked(id)).isNotEmpty();
        }
    }

    @Test
    void thumbnailsAreRealPictures() {
        assertThat(shop.stocked(id))
                .hasSize(24)
                .allSatisfy(product ->
                        assertThat(shop.thumbnail(product.sku(), 80).getWidth()).isEqualTo(80));
    }
}
