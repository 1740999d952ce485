package dev.rowlock.sample.price;

import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the checks of prices have found, and when the next ones come. */
@RestController
class PriceController {

    private final JdbcClient jdbc;
    private final RecurringJobs recurring;

    PriceController(JdbcClient jdbc, RecurringJobs recurring) {
        this.jdbc = jdbc;
        this.recurring = recurring;
    }

    record Check(OffsetDateTime checkedAt, int products, int corrected) {}

    record Checks(List<Instant> next, List<Check> latest) {}

    @GetMapping("/price-checks")
    Checks checks() {
        List<Instant> next =
                recurring.find("check-prices").map(RecurringJobDetails::next).orElse(List.of());
        return new Checks(
                next,
                jdbc.sql("SELECT checked_at, products, corrected FROM price_check ORDER BY id DESC LIMIT 20")
                        .query(Check.class)
                        .list());
    }

    /** Checks now. 409 if a check is under way. */
    @PostMapping("/price-checks")
    ResponseEntity<Void> check() {
        return recurring.runNow("check-prices").isPresent()
                ? ResponseEntity.accepted().build()
                : ResponseEntity.status(409).build();
    }
}
