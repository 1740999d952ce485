package com.example.notes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@SpringBootTest
@Import(PostgresTestConfiguration.class)
class NotesTest {

    @Autowired
    JobOperations jobs;

    @Autowired
    Notes notes;

    @Autowired
    HealthIndicator rowlockHealthIndicator;

    @Autowired
    MeterRegistry meters;

    @Test
    void theStarterRunsJobsOnThisVersionOfSpringBoot() throws InterruptedException {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("boot.version"));

        jobs.enqueue(new Note("hello"));

        assertThat(notes.written.poll(30, TimeUnit.SECONDS)).isEqualTo("hello");
        assertThat(rowlockHealthIndicator.health().getStatus()).isEqualTo(Status.UP);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> meters.find("rowlock.job.process").timer() != null);
    }
}
