package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.CannotAcquireLockException;

/** What the log, observers and the redacted history say about failed attempts. */
class FailureLogTest extends NodeTest {

    private static final String CARD = "4111111111111111";

    private final LogLines log = new LogLines(FailureLog.NAME);

    @AfterEach
    void stopListening() {
        log.close();
    }

    private long fail(RuntimeException failure) {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            throw failure;
                        },
                        listener -> listener.retry(TestNode.QUICK.maxRetries(1)))
                .start();
        long id = node.jobs.enqueue(new Greet("secret name"));
        node.awaitState(id, JobState.DEAD);
        return id;
    }

    @Test
    void eachFailedAttemptIsOneLineAndADeadJobIsAnError() {
        long id = fail(new IllegalStateException("no\nroute\tto host"));

        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(0))
                .startsWith("WARN job %d (Greet) of queue 'default', attempt 1".formatted(id))
                .endsWith(
                        " failed with java.lang.IllegalStateException: no route to host; it is tried again after 20 ms");
        assertThat(log.lines().get(1))
                .startsWith("ERROR job %d (Greet) of queue 'default', attempt 2".formatted(id))
                .endsWith(
                        " failed with java.lang.IllegalStateException: no route to host; it is dead, and stays so unless it is redriven");
        assertThat(log.lines()).noneMatch(line -> line.contains("secret name"));
    }

    @Test
    void theTraceIsLoggedIfTheLoggerIsAtDebug() {
        log.atDebug();

        fail(new IllegalStateException("no"));

        assertThat(log.lines()).allMatch(line -> line.contains("\tat " + FailureLogTest.class.getName()));
    }

    @Test
    void manyFailuresOfOneCauseAreOneLineAndTheOthersAreCounted() {
        FailureLog failures = new FailureLog();

        for (int i = 0; i < 50; i++) {
            failures.tell(job("tenant-7"), failed("no"));
            failures.tell(job("tenant-8"), failed("no"));
        }
        failures.tell(job("tenant-7"), new Outcome.Failed(JobError.of("test", "no"), null));
        failures.tell(job("tenant-7"), failed("another"));

        assertThat(log.lines())
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactly("WARN", "WARN", "ERROR");
    }

    @Test
    void theLinesPerSecondAreLimitedAndOmittedFailuresAreCounted() {
        FailureLog failures = new FailureLog();

        int keys = FailureLog.MOST + 50;
        for (int key = 0; key < keys; key++) {
            failures.tell(job("key " + key), failed("no"));
        }
        int first = log.lines().size();
        AtomicInteger more = new AtomicInteger(keys);
        Awaitility.await().until(() -> {
            failures.tell(job("key " + more.incrementAndGet()), failed("no"));
            return log.lines().stream().anyMatch(line -> line.contains("further failures before this one"));
        });

        assertThat(first).isLessThan(keys);
    }

    private static ClaimedJob job(String key) {
        return ClaimedJobs.withKey(1, key);
    }

    private static Outcome failed(String message) {
        return new Outcome.Retry(Due.after(Duration.ZERO), JobError.of("test", message), null);
    }

    @Test
    void observersGetTheExceptionItself() {
        Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        node.observer(new JobObserver() {
            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                if (outcome.thrown() != null) {
                    thrown.add(outcome.thrown());
                }
            }
        });
        RuntimeException failure = new IllegalStateException("card " + CARD);
        node.redactor(ErrorRedactor.replacing(Pattern.compile("[0-9]{16}"), "****"));

        fail(failure);

        Awaitility.await().until(() -> thrown.size() == 2);
        assertThat(thrown).containsOnly(failure);
    }

    // Redaction

    @Test
    void errorsPassTheRedactorsBeforeTheyAreStoredOrLogged() {
        log.atDebug();
        node.redactor(ErrorRedactor.replacing(Pattern.compile("[0-9]{16}"), "****"))
                .redactor(
                        (job, error) -> new JobError(error.type(), job.type() + ": " + error.message(), error.trace()));

        long id = fail(new IllegalStateException("card " + CARD, new RuntimeException("really " + CARD)));

        List<FailedAttempt> errors = node.search.find(id).orElseThrow().errors();
        assertThat(errors).extracting(FailedAttempt::message).containsOnly("Greet: card ****");
        assertThat(errors)
                .allSatisfy(error -> assertThat(error.trace())
                        .contains("Caused by: java.lang.RuntimeException: really ****")
                        .doesNotContain(CARD));
        assertThat(log.lines()).hasSize(2).noneMatch(line -> line.contains(CARD));
    }

    @Test
    void exceptionsThatCostNoAttemptPassTheRedactorsBeforeTheyAreLogged() {
        AtomicInteger calls = new AtomicInteger();
        node.redactor(ErrorRedactor.replacing(Pattern.compile("[0-9]{16}"), "****"))
                .interceptor((job, next) -> {
                    if (calls.incrementAndGet() == 1) {
                        throw new CannotAcquireLockException("before, with card " + CARD);
                    }
                    next.proceed();
                    throw new IllegalStateException("after the commit, with card " + CARD);
                })
                .listener(Greet.class, (context, payload) -> null, TestNode::transactional);
        List<String> told;
        try (LogLines all = new LogLines("dev.rowlock")) {
            node.start();
            long id = node.jobs.enqueue(new Greet("Ada"));
            node.awaitEvent("completed " + id);
            told = all.events().stream()
                    .map(event -> event.getFormattedMessage() + ThrowableProxyUtil.asString(event.getThrowableProxy()))
                    .toList();
        }

        assertThat(told)
                .anyMatch(line -> line.contains("before, with card ****"))
                .anyMatch(line -> line.contains("after the commit, with card ****"))
                .noneMatch(line -> line.contains(CARD));
    }

    @Test
    void onlyTheClassOfAnErrorIsKeptIfItsRedactorFails() {
        node.redactor((job, error) -> {
            throw new IllegalArgumentException(error.message());
        });
        List<String> told;
        long id;
        try (LogLines others = new LogLines("dev.rowlock")) {
            id = fail(new IllegalStateException("card " + CARD));
            told = others.lines();
        }

        assertThat(node.search.find(id).orElseThrow().errors()).hasSize(2).allSatisfy(error -> {
            assertThat(error.type()).isEqualTo(IllegalStateException.class.getName());
            assertThat(error.message()).contains("redactor").doesNotContain(CARD);
            assertThat(error.trace()).isEmpty();
        });
        assertThat(told).anyMatch(line -> line.contains("redactor ")).noneMatch(line -> line.contains(CARD));
    }

    // Log context

    @Test
    void eachLineThatAHandlerLogsNamesItsJob() {
        Logger mine = LoggerFactory.getLogger("mine");
        List<ILoggingEvent> events;
        long id;
        try (LogLines lines = new LogLines("mine")) {
            node.listener(Greet.class, (context, payload) -> {
                        mine.warn("hello");
                        return null;
                    })
                    .start();
            id = node.jobs.enqueue(new Greet("Ada"));
            node.awaitState(id, JobState.COMPLETED);
            events = lines.events();
        }

        assertThat(events)
                .singleElement()
                .satisfies(event -> assertThat(event.getMDCPropertyMap())
                        .isEqualTo(Map.of(
                                "rowlock.job.id", Long.toString(id),
                                "rowlock.job.type", "Greet",
                                "rowlock.job.queue", "default",
                                "rowlock.job.attempt", "1")));
    }

    @Test
    void theLineAboutAFailureNamesItsJob() {
        long id = fail(new IllegalStateException("no"));

        assertThat(log.events())
                .allSatisfy(event ->
                        assertThat(event.getMDCPropertyMap()).containsEntry("rowlock.job.id", Long.toString(id)));
    }
}
