package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Balances the books in SQL, without any code of the sample or of Rowlock. */
public record Books(JdbcClient jdbc) {

    /** Each good row is in stock once, with all its pictures, or its job is dead and nothing of it is there. */
    public void requireEveryProductOnce(long importId, long resized) {
        assertThat(number("SELECT count(*) FROM stock_movement WHERE import_id = " + importId))
                .as("movements")
                .isEqualTo(resized);
        assertThat(number("SELECT count(DISTINCT line) FROM stock_movement WHERE import_id = " + importId))
                .as("products moved")
                .isEqualTo(resized);
        assertThat(number("SELECT count(*) FROM import_item WHERE done_at IS NOT NULL AND import_id = " + importId))
                .as("items done")
                .isEqualTo(resized);
        assertThat(number("""
                        SELECT count(*) FROM product p
                         WHERE p.quantity <> (SELECT sum(m.quantity) FROM stock_movement m WHERE m.sku = p.sku)
                            OR (SELECT count(*) FROM thumbnail t WHERE t.sku = p.sku) <> 3
                        """)).as("products whose stock or pictures are wrong").isZero();
        assertThat(number("""
                        SELECT count(*) FROM import_item i JOIN rowlock.job j ON j.id = i.job_id
                         WHERE (i.done_at IS NOT NULL) <> (j.state = 'completed')
                            OR (i.done_at IS NULL) <> (j.state = 'dead')
                        """)).as("items that their jobs contradict").isZero();
    }

    /** enqueued = waiting + ready + running + done + dead + dropped, for each type. */
    public void requireConservation(Map<String, Long> enqueued) {
        enqueued.forEach(
                (type, jobs) -> assertThat(number("SELECT count(*) FROM rowlock.job WHERE type = '%s'".formatted(type)))
                        .as(type)
                        .isEqualTo(jobs));
        assertThat(number("SELECT count(*) FROM rowlock.job"))
                .as("all jobs")
                .isEqualTo(enqueued.values().stream().mapToLong(Long::longValue).sum());
        assertThat(number("SELECT count(*) - count(DISTINCT id) FROM rowlock.job"))
                .as("jobs in two rooms")
                .isZero();
    }

    public long number(String sql) {
        return jdbc.sql(sql).query(Long.class).single();
    }
}
