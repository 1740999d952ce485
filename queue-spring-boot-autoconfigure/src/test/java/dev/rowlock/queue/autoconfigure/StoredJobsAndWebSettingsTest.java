package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** A release of the application that sets something for its web layer runs the jobs of the release before as they were meant. */
@PostgresTest(freshPerTest = true, migrated = true)
class StoredJobsAndWebSettingsTest {

    record SendMail(String mailAddress, Instant sendAt, Integer retryCount) {}

    record MailSent(String messageId) {}

    record Report(String regionCode) {}

    /** Notes where it is, and goes on in its second attempt. */
    static class Mailer {

        final BlockingQueue<Object> calls = new LinkedBlockingQueue<>();

        @JobListener(maxRetries = "5", initialInterval = "1h", maxInterval = "1h", keepResult = true)
        MailSent send(SendMail mail, JobContext job) {
            if (job.checkpoint(MailSent.class).isEmpty()) {
                job.saveCheckpoint(new MailSent("first try"));
                throw new IllegalStateException("once more");
            }
            calls.add(mail);
            return job.checkpoint(MailSent.class).orElseThrow();
        }

        @Recurring(every = "1s", payload = "{\"regionCode\": \"eu\"}")
        @JobListener
        void report(Report report) {
            calls.add(report);
        }
    }

    private final ApplicationContextRunner contexts;
    private final TestDatabase database;

    StoredJobsAndWebSettingsTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database).withBean(Mailer.class);
    }

    @Test
    void aNamingStrategyOfTheWebLayerChangesNoStoredJob() {
        aReleaseRunsTheJobsOfTheOneBefore(
                contexts.withPropertyValues("spring.jackson.property-naming-strategy=SNAKE_CASE"));
    }

    @Test
    void aMapperOfTheApplicationChangesNoStoredJob() {
        aReleaseRunsTheJobsOfTheOneBefore(contexts.withBean(
                JsonMapper.class,
                () -> JsonMapper.builder()
                        .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
                        .build()));
    }

    @Test
    void severalMappersOfTheApplicationChangeNoStoredJob() {
        aReleaseRunsTheJobsOfTheOneBefore(contexts.withBean("one", JsonMapper.class, JsonMapper::new)
                .withBean("other", JsonMapper.class, JsonMapper::new));
    }

    @Test
    void modulesAndCustomizersOfTheWebLayerChangeNoStoredJob() {
        aReleaseRunsTheJobsOfTheOneBefore(contexts.withUserConfiguration(Web.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Web {

        @Bean
        JacksonModule numbersAsTexts() {
            return new SimpleModule("numbers as texts").addSerializer(Integer.class, ToStringSerializer.instance);
        }

        @Bean
        JsonMapperBuilderCustomizer strict() {
            return builder -> builder.enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
        }
    }

    private void aReleaseRunsTheJobsOfTheOneBefore(ApplicationContextRunner next) {
        SendMail mail = new SendMail("ada@example.org", Instant.parse("2026-11-20T10:11:12Z"), 3);
        List<Long> ids = new ArrayList<>();
        contexts.run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(mail);
            ids.add(id);
            awaitFirstFailure(context.getBean(JobSearch.class), id);
        });
        next.run(context -> {
            assertThat(context).hasNotFailed();
            JobOperations jobs = context.getBean(JobOperations.class);
            ids.add(jobs.enqueue(mail));
            awaitFirstFailure(context.getBean(JobSearch.class), ids.get(1));
            ids.forEach(context.getBean(JobAdmin.class)::runNow);

            BlockingQueue<Object> calls = context.getBean(Mailer.class).calls;
            List<Object> first = new ArrayList<>();
            while (first.stream().filter(SendMail.class::isInstance).count() < 2
                    || first.stream().noneMatch(Report.class::isInstance)) {
                Object call = calls.poll(60, TimeUnit.SECONDS);
                assertThat(call).as("after " + first).isNotNull();
                first.add(call);
            }
            assertThat(first).containsOnly(mail, new Report("eu"));
            for (long id : ids) {
                assertThat(context.getBean(JobResults.class).handle(id).await(Duration.ofMinutes(1), MailSent.class))
                        .isEqualTo(new MailSent("first try"));
            }
        });
        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT DISTINCT payload::text FROM rowlock.job_details WHERE type = 'SendMail'")
                        .query(String.class)
                        .list())
                .as("documents of both releases")
                .hasSize(1);
    }

    private static void awaitFirstFailure(JobSearch search, long id) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            JobDetails job = search.find(id).orElseThrow();
            return job.state() == JobState.WAITING && job.attempt() == 1;
        });
    }

    /** The payload of the recurring job is written in the names of Java, which that codec does not read. */
    @Test
    void anApplicationMayChooseAMapperForItsJobsByACodecOfItsOwn() {
        contexts.withBean(
                        PayloadCodec.class,
                        () -> new JacksonPayloadCodec(JacksonPayloadCodec.mapperBuilder()
                                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                                .build()))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Report")
                        .hasMessageContaining("knows none of them. It knows region_code"));
    }
}
