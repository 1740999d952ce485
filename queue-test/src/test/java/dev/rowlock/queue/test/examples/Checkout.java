package dev.rowlock.queue.test.examples;

import dev.rowlock.queue.JobOperations;
import java.time.Duration;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Checkout {

    private final JobOperations jobs;

    Checkout(JobOperations jobs) {
        this.jobs = jobs;
    }

    @Transactional
    public void place(long orderId) {
        jobs.enqueue(new SendInvoice(orderId));
        jobs.enqueue(new AskForReview(orderId), o -> o.delay(Duration.ofDays(7)).queue("marketing"));
    }
}
