package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import dev.rowlock.sample.price.CheckPrices;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The nightly check of prices: when it comes, and what it does. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "rowlock.worker.node-name=prices") // a context, and so a database, of its own
@AutoConfigureRowlock
@AutoConfigureEmbeddedPostgres
class PriceCheckTest {

    private final Shop shop;
    private final JdbcClient jdbc;
    private final TestJobs jobs;

    PriceCheckTest(@LocalServerPort int port, @Autowired JdbcClient jdbc, @Autowired TestJobs jobs) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    @Test
    void aPriceThatDiffersFromItsLastImportIsCorrectedAtNight() {
        assertThat(jobs.drain().ran()).isZero();
        assertThat(shop.priceChecks().next())
                .hasSize(5)
                .allSatisfy(run -> assertThat(hourInBerlin(run)).isEqualTo(3));
        imported("CUP-1", "4.50", "4.50");
        imported("CUP-2", "4.50", "1.00");

        jobs.advance(Duration.ofDays(1));
        jobs.drain().requireSuccess();

        assertThat(shop.priceChecks().latest()).containsExactly(new Shop.PriceCheck(2, 1));
        assertThat(jdbc.sql("SELECT DISTINCT price::text FROM product")
                        .query(String.class)
                        .list())
                .containsExactly("4.50");

        shop.checkPrices(); // for who does not wait for the night
        jobs.drain().requireSuccess();

        assertThat(shop.priceChecks().latest()).containsExactly(new Shop.PriceCheck(2, 0), new Shop.PriceCheck(2, 1));
        assertThat(jobs).hasCompleted(CheckPrices.class).times(2);
    }

    private static int hourInBerlin(Instant run) {
        return run.atZone(ZoneId.of("Europe/Berlin")).getHour();
    }

    private void imported(String sku, String price, String priceNow) {
        jdbc.sql("INSERT INTO catalog_import (file_name, csv) VALUES ('test.csv', '')")
                .update();
        jdbc.sql("""
                        INSERT INTO import_item (import_id, line, job_id, sku, name, description, price, quantity, picture, done_at)
                        SELECT max(id), 1, -max(id), :sku, 'cup', '', :price::numeric, 1, 'cup.jpg', now() FROM catalog_import
                        """).param("sku", sku).param("price", price).update();
        jdbc.sql("INSERT INTO product VALUES (:sku, 'cup', '', :price::numeric, 1)")
                .param("sku", sku)
                .param("price", priceNow)
                .update();
    }
}
