package dev.rowlock.queue.test.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@RowlockTest(Invoices.class)
@AutoConfigureEmbeddedPostgres
class FirstJobTest {

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @MockitoBean
    Mailer mailer;

    @Test
    void anInvoiceIsSent() {
        queue.enqueue(new SendInvoice(7));

        jobs.drain().requireSuccess();

        assertThat(jobs).hasCompleted(SendInvoice.class).onQueue("mail").once();
    }
}
