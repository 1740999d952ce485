package dev.rowlock.queue.test.tutorial;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

@Component
class OrdersFromArguments implements ApplicationRunner {

    private final OrderService orders;

    OrdersFromArguments(OrderService orders) {
        this.orders = orders;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        arguments.getNonOptionArgs().forEach(orders::place);
    }
}
