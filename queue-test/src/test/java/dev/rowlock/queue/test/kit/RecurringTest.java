package dev.rowlock.queue.test.kit;

import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

@RowlockTest
@AutoConfigureEmbeddedPostgres
@Import(RecurringTest.Nights.class)
class RecurringTest {

    record Nightly() {}

    static class Nights {

        @Recurring(cron = "0 0 3 * * *", zone = "UTC")
        @JobListener(queue = "nightly")
        void nightly(Nightly job) {}
    }

    @Autowired
    TestJobs jobs;

    @Test
    void aDeclaredJobRunsWhenItsTimeHasCome() {
        assertThat(jobs.drain().ran()).isZero();

        jobs.advance(ofDays(1));
        assertThat(jobs.drain().requireSuccess().ran()).isEqualTo(1);
        assertThat(jobs.drain().ran()).isZero();

        jobs.advance(ofDays(1));
        assertThat(jobs.drain().ran()).isEqualTo(1);
        assertThat(jobs).hasCompleted(Nightly.class).onQueue("nightly").times(2);
    }

    @Test
    void timeMayMoveOnBeforeTheFirstDrain() {
        jobs.advance(ofDays(1));

        assertThat(jobs.drain().ran()).isEqualTo(1);
    }

    @Test
    void missedRunsAreOneByDefault() {
        jobs.advance(ofDays(7));

        assertThat(jobs.drain().ran()).isEqualTo(1);
    }
}
