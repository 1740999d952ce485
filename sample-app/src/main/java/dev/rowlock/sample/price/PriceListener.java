package dev.rowlock.sample.price;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.schedule.Recurring;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Sets prices right that somebody has changed in the table. */
@Component
class PriceListener {

    private final JdbcClient jdbc;

    PriceListener(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Each night one node does it for all. What it corrects, its report and "done" commit together. */
    @Recurring(cron = "${sample.price-check}", zone = "Europe/Berlin")
    @JobListener(transactional = true)
    void check(CheckPrices job) {
        int corrected = jdbc.sql("""
                        UPDATE product p
                           SET price = newest.price
                          FROM (SELECT DISTINCT ON (sku) sku, price FROM import_item
                                 WHERE done_at IS NOT NULL ORDER BY sku, import_id DESC) AS newest
                         WHERE p.sku = newest.sku AND p.price <> newest.price
                        """).update();
        jdbc.sql("INSERT INTO price_check (products, corrected) SELECT count(*), :corrected FROM product")
                .param("corrected", corrected)
                .update();
    }
}
