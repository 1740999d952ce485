package dev.rowlock.queue.test.examples;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doThrow;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@RowlockTest(Invoices.class)
@AutoConfigureEmbeddedPostgres
class InvoicesTest {

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @MockitoBean
    Mailer mailer;

    @Test
    void anInvoiceIsSentAfterAWeekAndAgainIfTheMailServerWasAway() {
        doThrow(new IllegalStateException("away")).doNothing().when(mailer).send(7);
        queue.enqueue(new SendInvoice(7), o -> o.delay(ofDays(7)));

        jobs.advance(ofDays(7));
        assertThat(jobs.drain().failed()).isEqualTo(1);
        jobs.advance(ofMinutes(1));
        jobs.drain().requireSuccess();

        assertThat(jobs)
                .hasCompleted(SendInvoice.class)
                .onQueue("mail")
                .afterAttempts(2)
                .once();
    }
}
