package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers;
import dev.rowlock.queue.dashboard.Handlers.Charge;
import dev.rowlock.queue.dashboard.Handlers.Sync;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.browser.Browser;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Kinds of errors, and one action for all jobs of a kind. */
@PageTest
class ErrorsPageTest {

    private final Fixture fixture;
    private final JobTemplate jobs;
    private final JobSearch search;
    private Browser browser;

    ErrorsPageTest(@Autowired Fixture fixture, @Autowired JobTemplate jobs, @Autowired JobSearch search) {
        this.fixture = fixture;
        this.jobs = jobs;
        this.search = search;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void allJobsOfAKindOfErrorAreRedrivenInOneGo() {
        browser.open("#/errors");
        browser.awaitText("main", "card declined");
        int groups = browser.count("tbody tr");
        assertThat(browser.text("main")).contains("latest message, of job", "Oldest failure", "Latest failure");
        Handlers.declining = false;
        try {
            browser.click("tbody tr:first-child button[data-all=redrive]");
            browser.awaitText("dialog h2", "Redrive: 38 jobs");
            assertThat(browser.text("dialog [data-confirm]")).isEqualTo("Redrive: 38 jobs");
            assertThat(browser.text("dialog #act-text")).contains("gateway is away");
            browser.screenshot("confirm");
            assertThat(browser.barriers()).isEmpty();
            browser.type("dialog input[name=why]", "gateway is back");
            browser.click("dialog [data-confirm]");
            browser.awaitText("dialog", "finished: 38 of 38");
            browser.awaitText("dialog", "What becomes of them");
            assertThat(browser.text("dialog")).contains("in the queue again", "Audit");
            browser.screenshot("progress");
            browser.clickText("dialog button", "Close");
        } finally {
            Handlers.declining = true;
        }

        browser.await("the group has gone", d -> browser.count("tbody tr") == groups - 1);
        assertThat(fixture.audited("redrive")).first().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("gateway is back");
            assertThat(line.jobs()).isEqualTo(38);
        });
        browser.go("/actions");
        browser.awaitText("main", "finished");
        assertThat(browser.text("tbody tr:first-child"))
                .contains(": gateway is away")
                .doesNotContain("fingerprint");
        browser.go("/audit?action=redrive&who=ann");
        assertThat(browser.text("tbody tr:first-child"))
                .contains(": gateway is away")
                .doesNotContain("fingerprint");
        assertThat(browser.one("tbody tr:first-child td:nth-child(4) a").getDomAttribute("href"))
                .contains("fingerprint=", "state=dead");
        String action = browser.text("tbody tr:first-child td:nth-child(3) a");
        browser.click("tbody tr:first-child td:nth-child(3) a").settled();
        assertThat(action).startsWith("action ").endsWith(browser.text("tr [aria-current]"));
        // So that the tests after this one find what they look for.
        jobs.enqueueAll(
                IntStream.range(0, 38).mapToObj(i -> new Charge(4001 + 2 * i)).toList());
        Awaitility.await().until(() -> fixture.dead() >= 38);
    }

    @Test
    void allJobsThatAreRetriedAfterOneErrorAreRunNowAndCancelled() {
        List<Long> ids = LongStream.of(jobs.enqueueAll(
                        List.of(new Sync("ada"), new Sync("bert"), new Sync("cleo")), JobOptions.NONE.key("tenant-9")))
                .boxed()
                .toList();
        Awaitility.await().until(() -> attempted(ids, 1));
        browser.open("?retry#/errors");
        browser.awaitText("main", "answers 503");
        assertThat(browser.text("main")).contains("Retried", "Dead", "sync", "Last 24 hours");
        browser.screenshot("errors-retrying");
        assertThat(browser.barriers()).isEmpty();

        browser.click("button[data-all=run-now]");
        browser.awaitText("dialog h2", "Run now: 3 jobs");
        browser.type("dialog input[name=why]", "partner is back").click("dialog [data-confirm]");
        browser.awaitText("dialog", "Finished after 3 jobs: 3 due now");
        browser.clickText("dialog button", "Close");
        Awaitility.await().until(() -> attempted(ids, 2));

        browser.open("?started#/jobs/" + ids.get(0));
        assertThat(browser.text("main .timeline")).contains("attempt 1 begun", "attempt 2 begun", "attempt 2 failed");
        browser.screenshot("attempts");
        browser.open("?hour#/");
        browser.awaitText("main", "Failed attempts, last hour");
        browser.screenshot("failed-attempts");
        browser.open("?key#/jobs?queue=partners");
        assertThat(browser.text("thead")).contains("Key");
        assertThat(browser.text("tbody tr:first-child")).contains("tenant-9");

        browser.open("?again#/errors").click("button[data-all=cancel]");
        browser.awaitText("dialog h2", "Cancel: 3 jobs");
        browser.click("dialog [data-confirm]");
        browser.awaitText("dialog", "finished: 3 of 3");
        browser.clickText("dialog button", "Close");
        browser.awaitText("main", "No job is retried.");
        assertThat(ids)
                .allSatisfy(
                        id -> assertThat(search.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED));
    }

    private boolean attempted(List<Long> ids, int attempts) {
        return ids.stream()
                .map(id -> search.find(id).orElseThrow())
                .allMatch(job -> job.state() == JobState.WAITING && job.attempt() == attempts);
    }
}
