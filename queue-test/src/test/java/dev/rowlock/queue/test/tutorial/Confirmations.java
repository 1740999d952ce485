package dev.rowlock.queue.test.tutorial;

import dev.rowlock.queue.JobListener;
import org.springframework.stereotype.Component;

@Component
class Confirmations {

    private final MailServer server;

    Confirmations(MailServer server) {
        this.server = server;
    }

    @JobListener(queue = "mail", timeout = "30s", maxRetries = "5")
    void send(SendConfirmation job) {
        server.send(job.customer(), "Thank you for order " + job.order());
    }
}
