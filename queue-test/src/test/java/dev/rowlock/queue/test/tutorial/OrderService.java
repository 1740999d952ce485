package dev.rowlock.queue.test.tutorial;

import dev.rowlock.queue.JobOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class OrderService {

    private final JdbcClient jdbc;
    private final JobOperations jobs;

    OrderService(JdbcClient jdbc, JobOperations jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    @Transactional
    public long place(String customer) {
        long order = jdbc.sql("INSERT INTO orders (customer) VALUES (?) RETURNING id")
                .param(customer)
                .query(Long.class)
                .single();
        jobs.enqueue(new SendConfirmation(order, customer));
        return order;
    }
}
