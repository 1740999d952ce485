package dev.rowlock.queue.test.examples;

import org.springframework.stereotype.Component;

@Component
class Mailer {

    void send(long orderId) {}
}
