package com.example.hello;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.result.JobResults;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Starts on a server of its own, runs a job, opens the dashboard, and ends: with an exception where one of these fails. */
@SpringBootApplication
public class HelloApplication {

    public record Greeting(String whom) {}

    public static void main(String[] args) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
                ConfigurableApplicationContext application = SpringApplication.run(
                        HelloApplication.class,
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"))) {
            long job = application.getBean(JobOperations.class).enqueue(new Greeting("world"));
            String answer = application.getBean(JobResults.class).await(job, Duration.ofMinutes(1), String.class);
            System.out.printf("The job said: %s%n", answer);

            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:%s/rowlock/"
                                            .formatted(
                                                    application.getEnvironment().getProperty("local.server.port"))))
                                    .timeout(Duration.ofMinutes(1))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (page.statusCode() != 200) {
                throw new IllegalStateException("the dashboard answers " + page.statusCode());
            }
            System.out.printf(
                    "The dashboard has answered with %d characters.%n",
                    page.body().length());
        }
    }

    @JobListener(keepResult = true)
    public String greet(Greeting greeting) {
        return "hello, " + greeting.whom();
    }

    @Bean
    DashboardAccess everybody() {
        return request -> new DashboardUser("somebody", AccessLevel.ADMIN);
    }
}
