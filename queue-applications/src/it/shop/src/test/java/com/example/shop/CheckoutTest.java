package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.example.shop.Checkout.PaymentFailedException;
import com.example.shop.Checkout.Receipt;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(PostgresTestConfiguration.class)
class CheckoutTest {

    @Autowired
    Checkout checkout;

    @Autowired
    PurchaseRepository purchases;

    @Autowired
    JobSearch search;

    @Autowired
    JdbcClient jdbc;

    @Test
    void aCommittedPurchaseIsConfirmedByItsJob() {
        Receipt receipt = checkout.buy("Ada", false);

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(search.find(receipt.jobId()))
                        .map(JobDetails::state)
                        .contains(JobState.COMPLETED));
        assertThat(purchases.findById(receipt.purchaseId()))
                .map(Purchase::isConfirmed)
                .contains(true);
    }

    @Test
    void aPurchaseThatRollsBackLeavesNoJob() {
        PaymentFailedException failed =
                catchThrowableOfType(PaymentFailedException.class, () -> checkout.buy("Bob", true));

        assertThat(purchases.findById(failed.purchaseId())).isEmpty();
        assertThat(search.find(failed.jobId())).isEmpty();
    }

    @Test
    void theShopsMigrationsAndOursDoNotMeet() {
        assertThat(scripts("public.flyway_schema_history")).containsExactly("V1__purchase.sql");
        assertThat(scripts("rowlock.schema_history")).contains("V1__tables.sql").doesNotContain("V1__purchase.sql");
    }

    private List<String> scripts(String history) {
        return jdbc.sql("SELECT script FROM " + history).query(String.class).list();
    }
}
