package dev.rowlock.queue.test.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJob;
import dev.rowlock.queue.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Tests of an application that encrypts read what its jobs carry. */
@RowlockTest
@AutoConfigureEmbeddedPostgres
@Import(EncryptedJobsTest.Listeners.class)
@TestPropertySource(
        properties = {
            "rowlock.encryption.keys.k1=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "rowlock.encryption.current=k1"
        })
class EncryptedJobsTest {

    record Pay(String card) {}

    static class Listeners {

        @JobListener
        void pay(Pay pay) {
            throw new DoNotRetryException("refused " + pay.card());
        }
    }

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @Autowired
    JdbcClient sql;

    @Test
    void payloadsAndErrorsAreInClearText() {
        queue.enqueue(new Pay("4711"));
        jobs.drain();

        assertThat(jobs).hasEnqueued(Pay.class).withPayload(new Pay("4711")).once();
        assertThat(jobs.all())
                .singleElement()
                .extracting(TestJob::error)
                .asString()
                .endsWith(": refused 4711");
        assertThat(sql.sql("SELECT payload ->> '$enc' FROM rowlock.job_details WHERE type = 'Pay'")
                        .query(String.class)
                        .list())
                .containsOnly("k1");
    }
}
