package dev.rowlock.queue.test.examples;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.job.JobContext;
import org.springframework.stereotype.Component;

@Component
class Invoices {

    private final Mailer mailer;

    Invoices(Mailer mailer) {
        this.mailer = mailer;
    }

    @JobListener(queue = "mail", maxRetries = "5")
    void send(SendInvoice job, JobContext context) {
        if (context.stopRequested()) {
            throw new IllegalStateException("the node stops");
        }
        mailer.send(job.orderId());
        context.progress(100);
    }
}
