package dev.rowlock.queue.test.tutorial;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.schedule.Recurring;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class Reports {

    record CountOrders() {}

    private final JdbcClient jdbc;

    Reports(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Recurring(cron = "0 0 6 * * *", zone = "Europe/Berlin")
    @JobListener(queue = "reports")
    void count(CountOrders job) {
        long orders = jdbc.sql("SELECT count(*) FROM orders WHERE placed_at > now() - interval '1 day'")
                .query(Long.class)
                .single();
        LoggerFactory.getLogger(Reports.class).info("{} orders since yesterday", orders);
    }
}
