package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.failure.RowlockFailureAnalyzer;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Misspelt properties stop the start. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTest {

    private final ApplicationContextRunner contexts;

    UnknownPropertiesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withBean(Greeter.class);
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.queues.greetings.max-runing, rowlock.queues.greetings.max-running",
        "rowlock.queues.greetings.maxRuning, rowlock.queues.greetings.max-running",
        "rowlock.queues.greetings.max-running-by-key, rowlock.queues.greetings.max-running-per-key",
        "rowlock.queues.greetings.max-retries, rowlock.queues.greetings.retry.max-retries",
        "rowlock.queues.greetings.retry.max-retrys, rowlock.queues.greetings.retry.max-retries",
        "rowlock.worker.concurency, rowlock.worker.concurrency",
        "rowlock.concurrency, rowlock.worker.concurrency",
        "rowlock.retenton.done, rowlock.retention.done",
        "rowlock.dashbord.enabled, rowlock.dashboard",
    })
    void aMisspeltPropertyStopsTheStartWithTheNameThatWasMeant(String misspelt, String meant) {
        assertRefused(
                contexts.withPropertyValues(misspelt + "=5"), "there is no property", "; did you mean " + meant + "?");
    }

    @Test
    void theErrorListsThePropertiesThatThereAre() {
        assertRefused(
                contexts.withPropertyValues("rowlock.retention.complted=5d"),
                "Rowlock cannot start: there is no property rowlock.retention.complted. Below rowlock.retention there are audit, dead, done.");
        assertRefused(
                contexts.withPropertyValues("rowlock.queues.greetings.max-runing=5"),
                "Below rowlock.queues.greetings there are burst-per-key, concurrency, in-order, late-after, max-running, max-running-per-key, rate, rate-per-key, retry.*, timeout.");
    }

    @Test
    void theErrorNamesAllOfThem() {
        assertRefused(
                contexts.withPropertyValues("rowlock.worker.lese=5s", "rowlock.queues[Big.Q].rat=5/s"),
                "rowlock.worker.lese",
                "rowlock.queues[Big.Q].rat; did you mean rowlock.queues[Big.Q].rate?");
    }

    @Test
    void theErrorSaysThatAPropertyHasNothingBelow() {
        assertRefused(
                contexts.withPropertyValues("rowlock.worker.lease.seconds=5"),
                "there is no property rowlock.worker.lease.seconds, because rowlock.worker.lease is one");
    }

    @Test
    void theErrorSaysThatAQueueNeedsBrackets() {
        assertRefused(
                contexts.withPropertyValues("rowlock.queues.Big.Q.retry.max-retries=1"),
                "rowlock.queues.big.q.retry.max-retries is not read: a queue's name that has dots or upper case stands in brackets");
    }

    @Test
    void theErrorSaysWhereItIsSet() {
        AtomicReference<ConfigurableEnvironment> environment = new AtomicReference<>();
        contexts.withInitializer(context -> environment.set(context.getEnvironment()))
                .withPropertyValues("rowlock.worker.lese=5s")
                .run(context -> {
                    ConfigurationPropertySources.attach(environment.get());
                    FailureAnalysis analysis = requireNonNull(new RowlockFailureAnalyzer(environment.get())
                            .analyze(requireNonNull(context.getStartupFailure())));

                    assertThat(analysis.getAction())
                            .startsWith("Correct the name, or remove the property.")
                            .contains("rowlock.worker.lese (\"rowlock.worker.lese\" from property source \"test\")");
                });
    }

    @Test
    void anApplicationThatOnlyEnqueuesIsToldAsWell() {
        assertRefused(
                contexts.withPropertyValues("rowlock.worker.enabled=false", "rowlock.queues.mail.max-runing=5"),
                "rowlock.queues.mail.max-running?");
    }

    @Test
    void aFileOfAConfigTreeIsChecked(@TempDir Path tree) throws Exception {
        Files.writeString(tree.resolve("rowlock.queues.greetings.max-runing"), "5");

        assertRefused(
                contexts.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new ConfigTreePropertySource("tree", tree))),
                "did you mean rowlock.queues.greetings.max-running?");
    }

    @Test
    void whatIsReadOrSomebodyElsesIsAccepted() {
        contexts.withPropertyValues(
                        "rowlock.worker=",
                        "rowlock.worker.queues[0]=greetings",
                        "rowlock.queues.greetings.maxRunning=5",
                        "rowlock.queues.greetings.max_running_per_key=5",
                        "rowlock.queues.greetings.rate=5/s",
                        "rowlock.queues.greetings.retry.maxRetries=5",
                        "rowlock.notify.enabled=true",
                        "rowlock.payload.max-size=2MB",
                        "rowlock.dashboard.whatever=there is no such module here",
                        "rowlocks.worker.lese=5s",
                        "management.endpoint.rowlock.cache.time-to-live=1s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void propertiesThatTheApplicationBindsItselfAreAccepted() {
        contexts.withUserConfiguration(Extended.class)
                .withPropertyValues("rowlock.extension.colour=red")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Extension.class).colour()).isEqualTo("red");
                });
    }

    @ConfigurationProperties("rowlock.extension")
    record Extension(String colour) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Extension.class)
    static class Extended {}

    @Test
    void whereThereIsNoQueueNothingIsChecked() {
        contexts.withPropertyValues("rowlock.enabled=false", "rowlock.worker.lese=5s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void environmentVariablesAreReadAsBootReadsThem(CapturedOutput output) {
        withVariables(Map.of(
                        "ROWLOCK_QUEUES_GREETINGS_MAX_RUNNING_PER_KEY",
                        "4",
                        "ROWLOCK_QUEUES_GREETINGS_MAXRUNNING",
                        "5",
                        "ROWLOCK_WORKER_QUEUES_0",
                        "greetings",
                        "ROWLOCK_WORKER_POLLINTERVAL",
                        "2s"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    RowlockProperties.Queue queue =
                            context.getBean(RowlockProperties.class).queues().get("greetings");
                    assertThat(queue.maxRunning()).isEqualTo(5);
                    assertThat(queue.maxRunningPerKey()).isEqualTo(4);
                    assertThat(context).hasSingleBean(QueueLimits.class);
                });

        assertThat(output).doesNotContain("environment variable");
    }

    @Test
    void anEnvironmentVariableThatIsAlmostAPropertyIsWarnedOf(CapturedOutput output) {
        withVariables(Map.of("ROWLOCK_QUEUES_GREETINGS_MAXRUNING", "5", "ROWLOCK_WORKER_NODENAM", "left"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains(
                        "the environment variable ROWLOCK_QUEUES_GREETINGS_MAXRUNING sets no property, and is not read; did you mean ROWLOCK_QUEUES_GREETINGS_MAXRUNNING?")
                .contains("ROWLOCK_WORKER_NODENAM sets no property", "did you mean ROWLOCK_WORKER_NODENAME?");
    }

    /** Kubernetes makes such variables for a service. */
    @Test
    void environmentVariablesOfSomebodyElseAreLeftAlone(CapturedOutput output) {
        withVariables(Map.of(
                        "ROWLOCK_SERVICE_HOST",
                        "10.0.0.1",
                        "ROWLOCK_PORT",
                        "tcp://10.0.0.1:80",
                        "ROWLOCK_PORT_80_TCP_PROTO",
                        "tcp"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("environment variable");
    }

    static class Bulk {
        record Letter(int number) {}

        @JobListener(queue = "mail-bulk")
        void send(Letter letter) {}
    }

    static class Mail {
        record Message(int number) {}

        @JobListener(queue = "${mail.queue:mail}")
        void send(Message message) {}
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ROWLOCK_QUEUES_MAILBULK_CONCURRENCY",
                "ROWLOCK_QUEUES_MAIL_BULK_CONCURRENCY",
                "rowlock_queues_mail_bulk_concurrency"
            })
    void anEnvironmentVariableIsForTheQueueOfItsLettersAndDigits(String variable, CapturedOutput output) {
        withVariables(Map.of(variable, "3", "ROWLOCK_QUEUES_MAIL_BULK_RETRY_MAXRETRIES", "7"))
                .withBean(Bulk.class)
                .withBean(Mail.class)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addLast(new MapPropertySource(
                                "file",
                                Map.of(
                                        "rowlock.queues.mail-bulk.timeout",
                                        "5s",
                                        "rowlock.queues.mail-bulk.concurrency",
                                        "2"))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Rowlock.class).queues())
                            .containsEntry("mail-bulk", 3)
                            .containsEntry("mail", 10);
                    RowlockProperties.Queue queue =
                            context.getBean(RowlockProperties.class).queues().get("mail-bulk");
                    assertThat(queue.timeout()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(queue.retry().maxRetries()).isEqualTo(7);
                    assertThat(context.getBean(RowlockProperties.class).queues())
                            .containsOnlyKeys("mail-bulk");
                });

        assertThat(output).doesNotContain("WARN");
    }

    static class Big {
        record Parcel(int number) {}

        @JobListener(queue = "Big.Q")
        void send(Parcel parcel) {}
    }

    @Test
    void aQueueWithDotsAndUpperCaseHasEnvironmentVariablesToo() {
        withVariables(Map.of("ROWLOCK_QUEUES_BIG_Q_CONCURRENCY", "3"))
                .withBean(Big.class)
                .run(context ->
                        assertThat(context.getBean(Rowlock.class).queues()).containsEntry("Big.Q", 3));
    }

    @Test
    void anEnvironmentVariableOfAQueueThatIsNotHereIsWarnedOf(CapturedOutput output) {
        withVariables(Map.of("ROWLOCK_QUEUES_REPORTS_CONCURRENCY", "3", "ROWLOCK_QUEUES_GREETINGS_X_CONCURRENCY", "4"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("ROWLOCK_QUEUES_REPORTS_CONCURRENCY sets nothing", "there are [greetings]")
                .contains("ROWLOCK_QUEUES_GREETINGS_X_CONCURRENCY sets nothing");
    }

    /** Kubernetes makes these for a service {@code rowlock-queues}. */
    @Test
    void whatIsNoSettingOfAQueueIsLeftAlone(CapturedOutput output) {
        withVariables(Map.of(
                        "ROWLOCK_QUEUES_PORT",
                        "tcp://10.0.0.1:80",
                        "ROWLOCK_QUEUES_SERVICE_HOST",
                        "10.0.0.1",
                        "ROWLOCK_QUEUES_SERVICE_PORT",
                        "80",
                        "ROWLOCK_QUEUES_PORT_80_TCP",
                        "tcp://10.0.0.1:80",
                        "ROWLOCK_QUEUES_PORT_80_TCP_ADDR",
                        "10.0.0.1"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(RowlockProperties.class).queues())
                            .isEmpty();
                });

        assertThat(output).doesNotContain("WARN");
    }

    private ApplicationContextRunner withVariables(Map<String, Object> variables) {
        PropertySource<?> source = new SystemEnvironmentPropertySource("systemEnvironment", variables);
        return contexts.withInitializer(
                context -> context.getEnvironment().getPropertySources().replace("systemEnvironment", source));
    }

    private static void assertRefused(ApplicationContextRunner contexts, String... problems) {
        contexts.run(context -> {
            FailureAnalysis analysis = requireNonNull(
                    new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));

            assertThat(analysis.getDescription()).contains(problems);
        });
    }
}
