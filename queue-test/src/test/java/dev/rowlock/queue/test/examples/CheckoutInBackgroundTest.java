package dev.rowlock.queue.test.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureRowlock(mode = AutoConfigureRowlock.Mode.BACKGROUND)
@AutoConfigureEmbeddedPostgres
class CheckoutInBackgroundTest {

    @Autowired
    Checkout checkout;

    @Autowired
    TestJobs jobs;

    @Test
    void anInvoiceIsSent() {
        checkout.place(17);

        jobs.awaitIdle();

        assertThat(jobs).hasCompleted(SendInvoice.class).once();
    }
}
