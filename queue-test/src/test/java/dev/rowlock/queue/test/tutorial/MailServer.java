package dev.rowlock.queue.test.tutorial;

import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

@Component
class MailServer {

    void send(String to, String text) {
        if (ThreadLocalRandom.current().nextInt(5) == 0) {
            throw new IllegalStateException("the mail server is away");
        }
        LoggerFactory.getLogger(MailServer.class).info("to {}: {}", to, text);
    }
}
