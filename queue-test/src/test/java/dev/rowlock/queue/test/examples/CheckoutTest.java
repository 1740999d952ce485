package dev.rowlock.queue.test.examples;

import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@AutoConfigureRowlock
@AutoConfigureEmbeddedPostgres
@Transactional
class CheckoutTest {

    @Autowired
    Checkout checkout;

    @Autowired
    TestJobs jobs;

    @Test
    void anOrderSendsAnInvoiceNowAndAsksForAReviewAWeekLater() {
        checkout.place(17);

        assertThat(jobs)
                .hasEnqueued(SendInvoice.class)
                .withPayload(new SendInvoice(17))
                .once();
        assertThat(jobs).hasEnqueued(AskForReview.class).onQueue("marketing").delayedBy(ofDays(7));
    }
}
