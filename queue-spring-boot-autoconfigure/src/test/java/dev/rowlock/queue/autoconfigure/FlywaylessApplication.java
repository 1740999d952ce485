package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobOperations;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts in one mode after the other with what is on its class path, and runs a job each time. */
@EnableAutoConfiguration
class FlywaylessApplication {

    static final String MODE = "--rowlock.schema.mode=";

    /** The modes, and then what goes for all of them. */
    public static void main(String[] args) throws InterruptedException {
        for (String mode : args[0].split(",")) {
            System.out.println(MODE + mode);
            args[0] = MODE + mode;
            run(args);
        }
    }

    private static void run(String[] args) throws InterruptedException {
        try (ConfigurableApplicationContext application =
                SpringApplication.run(new Class<?>[] {FlywaylessApplication.class, Greeter.class}, args)) {
            application.getBean(JobOperations.class).enqueue(new Greeter.Greeting("no Flyway"));
            System.out.println(
                    "ran: " + application.getBean(Greeter.class).nextCall().text());
        }
    }
}
