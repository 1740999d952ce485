package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.DeadGroups;
import dev.rowlock.queue.search.EndedJobs;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.NodeLoad;
import dev.rowlock.queue.search.NodeSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.RetryGroup;
import dev.rowlock.queue.search.RetryGroups;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/search.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class SearchExamplesTest {

    private static final Logger log = LoggerFactory.getLogger(SearchExamplesTest.class);

    private final ApplicationContextRunner contexts;

    SearchExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    record Customer(int id) {}

    @JobType("send-mail")
    record SendMail(Customer customer) {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @JobListener(queue = "mail")
        void send(SendMail mail) {
            if (mail.customer().id() > 40) {
                throw new DoNotRetryException("mail to " + mail.customer().id() + " timed out");
            }
        }
    }

    @Test
    void jobsAreFoundCountedAndGrouped() {
        contexts.run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);
            JobSearch search = context.getBean(JobSearch.class);
            List.of(1, 41, 42).forEach(id -> jobs.enqueue(new SendMail(new Customer(id))));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(search.count(
                                            JobFilter.where()
                                                    .states(JobState.COMPLETED, JobState.DEAD, JobState.QUARANTINED),
                                            10)
                                    .jobs())
                            .isEqualTo(3));

            finds(search);
            pages(search);
            counts(search);
            payloads(search);
            groups(search);
            retries(search);
            failures(search);
            sums(search);
            nodes(search);
            explains(search, jobs.enqueue(new SendMail(new Customer(2)), o -> o.delay(Duration.ofHours(1))));
        });
    }

    private static void explains(JobSearch search, long id) {
        Explanation why = search.explain(id).orElseThrow();
        why.reasons().forEach(reason -> log.info("{}: {}", reason.kind(), reason.text()));

        assertThat(why.reasons()).extracting(Explanation.Reason::kind).containsExactly(Explanation.Kind.DUE_LATER);
    }

    private static void nodes(JobSearch search) {
        for (NodeSummary node : search.nodes()) {
            log.info("{} runs up to {} jobs at once", node.name(), node.slots());
        }
        for (NodeLoad load : search.loads()) {
            log.info(
                    "node {} has {} jobs of {}, the first since {}",
                    load.nodeId(),
                    load.jobs(),
                    load.queue(),
                    load.oldestClaim());
        }
        FoundJobs claimed = search.claimedBy(search.nodes().get(0).id(), Page.first(50));

        assertThat(search.nodes().get(0).slots()).isEqualTo(Map.of("mail", 10));
        assertThat(claimed.jobs()).isEmpty();
    }

    private static void finds(JobSearch search) {
        JobFilter filter = JobFilter.where()
                .states(JobState.DEAD, JobState.QUARANTINED)
                .queue("mail")
                .errorText("timed out");

        FoundJobs found = search.find(filter, Page.first(50));
        for (JobSummary job : found.jobs()) {
            log.info("{} {} {}", job.id(), job.state(), job.lastError());
        }

        assertThat(found.jobs()).hasSize(2);
    }

    private static void pages(JobSearch search) {
        FoundJobs found = search.find(JobFilter.where().queue("mail"), Page.first(50));
        while (found.next() != null) {
            found = search.find(JobFilter.where().queue("mail"), found.next());
        }

        assertThat(found.jobs()).hasSize(3);
    }

    private static void counts(JobSearch search) {
        CappedCount dead = search.count(JobFilter.where().states(JobState.DEAD, JobState.QUARANTINED), 10_000);
        log.info("{} dead jobs", dead);

        assertThat(dead.jobs()).isEqualTo(2);
    }

    private static void payloads(JobSearch search) {
        FoundJobs found = search.find(
                JobFilter.where().states(JobState.DEAD).payload("$.customer.id == 42"),
                Page.first(50).withPayloads());

        assertThat(found.jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.payload()).contains("42"));
    }

    private static void groups(JobSearch search) {
        DeadGroups dead = search.deadByError(JobFilter.all(), GroupPage.first(20));
        for (DeadGroup group : dead.groups()) {
            log.info("{} jobs: {} {} in {}", group.jobs(), group.errorType(), group.message(), group.thrownBy());
        }
        DeadGroup largest = dead.groups().get(0);
        FoundJobs itsJobs = search.find(JobFilter.where().fingerprint(largest.fingerprint()), Page.first(50));

        assertThat(dead.groups()).hasSize(1);
        assertThat(itsJobs.jobs()).hasSize(2);
    }

    private static void retries(JobSearch search) {
        RetryGroups retries = search.retryingByError(JobFilter.where().queue("mail"), 20);
        for (RetryGroup group : retries.groups()) {
            log.info("{} jobs: {} {}", group.jobs(), group.errorType(), group.message());
        }

        assertThat(retries.complete()).isTrue();
    }

    private static void failures(JobSearch search) {
        FailedAttempts failed = search.failedAttempts(Duration.ofHours(1));
        failed.queues().forEach(queue -> log.info("{}: {} failed attempts", queue.queue(), queue.attempts()));

        assertThat(failed.complete()).isTrue();
        assertThat(failed.queues()).isNotEmpty();
    }

    private static void sums(JobSearch search) {
        Instant today = Instant.now().plus(Duration.ofHours(1));
        Instant yesterday = today.minus(Duration.ofDays(1));

        List<EndedJobs> sums = search.ended(JobFilter.where().queue("mail").ended(yesterday, today), TimeStep.HOUR);

        assertThat(sums)
                .singleElement()
                .satisfies(sum -> assertThat(sum.completed()).isEqualTo(1));
    }
}
