package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.spi.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** What every application may count on: of all promises, those that its surroundings could break. */
final class ShortStory {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** More than a claim takes without a turn of its own. */
    private static final int MANY = 400;

    record Step(String name) {}

    record Booking(int number) {}

    record Tiny(int number) {}

    record Progressing(int number) {}

    record Happened(String what) {}

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Listeners listeners(@RowlockDataSource DataSource dataSource) {
            return new Listeners(JdbcClient.create(dataSource));
        }

        @Bean
        Events events(JobOperations jobs) {
            return new Events(jobs);
        }
    }

    static final class Listeners {

        private final JdbcClient jdbc;

        Listeners(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobListener
        String step(Step step) {
            return "did " + step.name();
        }

        @JobListener(queue = "bookings", concurrency = "2", transactional = true)
        void book(Booking booking) {
            jdbc.sql("INSERT INTO public.booking VALUES (?)")
                    .param(booking.number())
                    .update();
        }

        @JobListener(queue = "tiny")
        void tiny(Tiny tiny) {}

        @JobListener(queue = "progress", concurrency = "2", maxRetries = "0")
        void progress(Progressing job, JobContext context) {
            context.progress(50, "half");
        }
    }

    static final class Events {

        private final JobOperations jobs;
        private final List<Long> ids = new ArrayList<>();

        Events(JobOperations jobs) {
            this.jobs = jobs;
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void committed(Happened event) {
            ids.add(jobs.enqueue(new Step("after commit")));
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void rolledBack(Happened event) {
            ids.add(jobs.enqueue(new Step("after rollback")));
        }
    }

    private final ApplicationContext context;
    private final JobOperations jobs;
    private final JobSearch search;
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;
    private final Rowlock node;

    /** {@code manager} is the name of the bean that manages Rowlock's DataSource. */
    ShortStory(ApplicationContext context, String manager) {
        this.context = context;
        this.jobs = context.getBean(JobOperations.class);
        this.search = context.getBean(JobSearch.class);
        this.jdbc = JdbcClient.create(context.getBean("jobs", DataSource.class));
        this.transaction = new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
        this.node = context.getBean(Rowlock.class);
    }

    void tell() {
        inTransaction(() -> jdbc.sql("CREATE TABLE public.booking (number int)").update());
        await().atMost(SOON).until(() -> node.status().nodeId() != 0);
        long id = node.status().nodeId();

        jobsExistIfTheTransactionCommits();
        jobsOfEventsRun();
        transactionalListenersCommitWithTheirJobs();
        manyJobsAreClaimedAtOnce();
        progressIsSaved();
        uniqueKeysHold();

        assertThat(node.status().nodeId()).isEqualTo(id);
        assertThat(node.status()).returns(true, NodeStatus::beats).returns(true, NodeStatus::records);
        assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
    }

    private void jobsExistIfTheTransactionCommits() {
        long[] ids = new long[2];
        inTransaction(() -> ids[0] = jobs.enqueue(new Step("committed")));
        transaction.executeWithoutResult(status -> {
            ids[1] = jobs.enqueue(new Step("rolled back"));
            status.setRollbackOnly();
        });

        assertCompleted(ids[0], jobs.enqueue(new Step("alone")));
        assertThat(search.find(ids[1])).isEmpty();
    }

    private void jobsOfEventsRun() {
        ApplicationEventPublisher publisher = context;
        inTransaction(() -> publisher.publishEvent(new Happened("committed")));
        transaction.executeWithoutResult(status -> {
            publisher.publishEvent(new Happened("rolled back"));
            status.setRollbackOnly();
        });

        List<Long> ids = context.getBean(Events.class).ids;
        assertThat(ids).hasSize(2);
        assertCompleted(ids.get(0), ids.get(1));
    }

    private void transactionalListenersCommitWithTheirJobs() {
        assertCompleted(jobs.enqueueAll(List.of(new Booking(1), new Booking(2), new Booking(3))));

        assertThat(jdbc.sql("SELECT count(*) FROM public.booking")
                        .query(Long.class)
                        .single())
                .isEqualTo(3);
    }

    private void manyJobsAreClaimedAtOnce() {
        assertCompleted(
                jobs.enqueueAll(IntStream.range(0, MANY).mapToObj(Tiny::new).toList()));
    }

    private void progressIsSaved() {
        long[] ids = jobs.enqueueAll(
                IntStream.range(0, 20).mapToObj(Progressing::new).toList());

        assertCompleted(ids);
    }

    private void uniqueKeysHold() {
        UniqueKey key = UniqueKey.of("once").atLeast(Duration.ofHours(1));

        long first = jobs.enqueue(new Step("unique"), options -> options.unique(key));
        long second = jobs.enqueue(new Step("unique"), options -> options.unique(key));

        assertThat(second).isEqualTo(first);
        assertCompleted(first);
    }

    private void assertCompleted(long... ids) {
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(completed(ids)).isEqualTo(ids.length));
    }

    private long completed(long[] ids) {
        return jdbc.sql("SELECT count(*) FROM rowlock.job WHERE id = ANY (?::bigint[]) AND state = ?")
                .param(Arrays.toString(ids).replace('[', '{').replace(']', '}'))
                .param(JobState.COMPLETED.name().toLowerCase(java.util.Locale.ROOT))
                .query(Long.class)
                .single();
    }

    private void inTransaction(Runnable work) {
        transaction.executeWithoutResult(status -> work.run());
    }

    /** After the application has ended. */
    static void assertLeftNothingBehind(DataSource dataSource) {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        for (String table : List.of("node", "ready", "waiting", "running", "dead")) {
            assertThat(jdbc.sql("SELECT count(*) FROM rowlock." + table)
                            .query(Long.class)
                            .single())
                    .as(table)
                    .isZero();
        }
    }
}
