package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Running jobs that somebody cancels. */
@PostgresTest(freshPerTest = true, migrated = true)
class AskedToStopTest {

    record Work(String what) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Rowlock web;
    private final Rowlock node;

    AskedToStopTest(TestDatabase database) {
        web = rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
        JdbcClient sql = JdbcClient.create(database.dataSource());
        node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .lease(new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofSeconds(10), 3))
                .observer(new JobObserver() {
                    @Override
                    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                        told.add(outcome.label());
                    }
                })
                .listener(Work.class, (work, job) -> {
                    // Its node does not hear of it before the handler fails.
                    sql.sql(
                                    "SELECT rowlock.cancel(?) FROM (SELECT set_config('rowlock.notify', 'off', true)) AS quietly")
                            .param(job.id())
                            .query(String.class)
                            .single();
                    throw new DoNotRetryException(work.what());
                }));
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void aJobThatFailsForGoodAfterItWasAskedToStopIsCancelled() {
        long id = web.jobs().enqueue(new Work("fails for good"));

        node.start();
        await().until(() -> !web.search().find(id).orElseThrow().state().live());

        assertThat(web.search().find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
        await().until(() -> !told.isEmpty());
        assertThat(told).containsExactly("cancelled");
    }
}
