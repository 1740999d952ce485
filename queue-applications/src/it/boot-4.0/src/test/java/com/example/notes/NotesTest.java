package com.example.notes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
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

    @Autowired
    ObservationRegistry observations;

    @Autowired
    Tracer tracer;

    @Test
    void theStarterRunsJobsOnThisVersionOfSpringBoot() throws InterruptedException {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("boot.version"));

        String traceId = Observation.createNotStarted("request", observations).observe(() -> {
            jobs.enqueue(new Note("hello"));
            return tracer.currentSpan().context().traceId();
        });

        assertThat(notes.written.poll(30, TimeUnit.SECONDS)).isEqualTo(new Notes.Written("hello", traceId));
        assertThat(rowlockHealthIndicator.health().getStatus()).isEqualTo(Status.UP);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> meters.find("rowlock.job.process").timer() != null);
    }
}
