package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Times are handed in, in seconds. */
class BeginFailuresTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final BeginFailures failures = new BeginFailures((job, failure) -> JobError.of(failure));
    private final Logger log = (Logger) LoggerFactory.getLogger(BeginFailures.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
    }

    @Test
    void aJobWaitsAboutAsLongAsItCouldNotBegin() {
        assertThat(fail(1, 0)).isEqualTo(SECOND);
        assertThat(fail(1, 1)).isEqualTo(SECOND);
        assertThat(fail(1, 20)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        assertThat(fail(1, 9_000)).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
    }

    @Test
    void aFurtherJobWaitsAsLongWhileNoJobOfItsListenerBegins() {
        fail(1, 0);

        assertThat(fail(2, 100)).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aJobThatBeginsEndsTheTroubleOfItsListenerButNotThatOfAnotherJob() {
        fail(1, 0);
        failures.begun(ClaimedJobs.of(2));

        assertThat(fail(3, 100)).isEqualTo(SECOND);
        assertThat(fail(1, 100)).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aJobThatHasBegunWaitsLikeAnyOther() {
        fail(1, 0);
        failures.begun(ClaimedJobs.of(1));

        assertThat(fail(1, 100)).isEqualTo(SECOND);
    }

    @Test
    void theLogMentionsLastingTroubleEachMinute() {
        for (int second = 0; second < 600; second++) {
            fail(second, second);
        }

        assertThat(lines.list).hasSize(10);
        assertThat(lines.list.get(9).getFormattedMessage()).contains("60 times");
    }

    @Test
    void theLogMentionsNewTroubleAtOnce() {
        fail(1, 0);
        failures.begun(ClaimedJobs.of(1));

        fail(2, 10_000);
        fail(2, 10_059);
        fail(2, 10_061);

        assertThat(lines.list).hasSize(3);
    }

    private Duration fail(long id, int second) {
        Outcome outcome = failures.failed(
                ClaimedJobs.of(id),
                new IllegalStateException("no connection"),
                Duration.ofSeconds(second).toNanos());
        return ((Outcome.SetAside) outcome).due().after();
    }
}
