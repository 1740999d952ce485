package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A transactional listener that writes through JPA, and loses its job to somebody else before it commits. */
@SpringBootTest
@Import({PostgresTestConfiguration.class, LostClaimTest.Gifts.class})
class LostClaimTest {

    record SendGift(String customer) {}

    static class Gifts {

        private final PurchaseRepository purchases;
        private final List<Long> tokens = new CopyOnWriteArrayList<>();
        private final CountDownLatch written = new CountDownLatch(1);
        private final CountDownLatch lost = new CountDownLatch(1);

        Gifts(PurchaseRepository purchases) {
            this.purchases = purchases;
        }

        @JobListener(transactional = true)
        void send(SendGift gift, JobContext job) throws InterruptedException {
            tokens.add(job.claimToken());
            purchases.saveAndFlush(new Purchase(gift.customer()));
            if (tokens.size() == 1) {
                written.countDown();
                lost.await();
            }
        }
    }

    @Autowired
    Gifts gifts;

    @Autowired
    PurchaseRepository purchases;

    @Autowired
    JobOperations jobs;

    @Autowired
    JobSearch search;

    @Autowired
    JdbcClient jdbc;

    @Test
    void theListenersRowsRollBackWithItsOutcome() throws InterruptedException {
        long job = jobs.enqueue(new SendGift("Eve"));
        gifts.written.await();

        jdbc.sql("UPDATE rowlock.running SET token = nextval('rowlock.claim_token') WHERE id = ?")
                .param(job)
                .update();
        gifts.lost.countDown();

        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() ->
                        assertThat(search.find(job)).map(JobDetails::state).contains(JobState.COMPLETED));
        assertThat(gifts.tokens).hasSize(2).doesNotHaveDuplicates();
        assertThat(purchases.findAll()).extracting(Purchase::getCustomer).containsOnlyOnce("Eve");
    }
}
