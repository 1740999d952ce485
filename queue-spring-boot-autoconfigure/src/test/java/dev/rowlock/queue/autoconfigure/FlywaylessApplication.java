package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobOperations;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts with what is on its class path, runs a job, and ends. */
@EnableAutoConfiguration
class FlywaylessApplication {

    public static void main(String[] args) throws InterruptedException {
        try (ConfigurableApplicationContext application =
                SpringApplication.run(new Class<?>[] {FlywaylessApplication.class, Greeter.class}, args)) {
            application.getBean(JobOperations.class).enqueue(new Greeter.Greeting("no Flyway"));
            System.out.println(
                    "ran: " + application.getBean(Greeter.class).nextCall().text());
        }
    }
}
