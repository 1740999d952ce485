package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers;
import dev.rowlock.queue.dashboard.Handlers.Charge;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.dashboard.Handlers.Sync;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.browser.Browser;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** All of one job, and what is done to it. */
@PageTest
class JobPageTest {

    private final Fixture fixture;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private Browser browser;

    JobPageTest(
            @Autowired Fixture fixture,
            @Autowired JobTemplate jobs,
            @Autowired JobAdmin admin,
            @Autowired JobSearch search) {
        this.fixture = fixture;
        this.jobs = jobs;
        this.admin = admin;
        this.search = search;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void timesAreTheViewersAndSayTheExactInstant() {
        browser.open("#/jobs/" + fixture.evil());

        assertThat(browser.one("main .timeline time").getDomAttribute("title"))
                .contains(search.find(fixture.evil()).orElseThrow().enqueuedAt().toString());

        // Reasons are texts of the database: their times are the viewer's too.
        browser.open("?reasons#/jobs/" + fixture.running());
        assertThat(browser.text("main li[data-kind]")).contains("node-1").doesNotContain("+00");
        assertThat(browser.count("main li[data-kind] time")).isOne();
    }

    @Test
    void progressOfARunningJobAndItsEndComeByThemselves() {
        CountDownLatch before = Handlers.held;
        Handlers.held = new CountDownLatch(1);
        long held = jobs.enqueue(new Report("live"));
        Awaitility.await().until(() -> search.find(held).orElseThrow().progress() != null);
        browser.open("#/jobs/" + held);
        browser.awaitText("main", "40 %: page 4 of 10");
        browser.awaitText("main .log", "attempt 1 reading 10 <b>pages</b>");

        Handlers.held.countDown();
        Handlers.held = before;

        browser.awaitText("h1", "completed");
    }

    @Test
    void aSingleJobIsRescheduledRunEditedAndDeleted() {
        long one = jobs.enqueue(new Charge(5001));
        Awaitility.await().until(() -> search.find(one).orElseThrow().state() == JobState.DEAD);

        browser.open("#/jobs/" + one).clickText("main button", "Edit…");
        browser.type("dialog textarea", "{\"orderId\": 5003}").click("dialog [data-confirm]");
        browser.awaitText("main pre", "5003");
        browser.click("button[data-chosen=discard]").click("dialog [data-confirm]");
        browser.awaitText("#said", "Job " + one + ": discarded.");
        assertThat(search.find(one)).isEmpty();
        browser.awaitText("main", "there is none");
        browser.console(); // tells of the status 404

        long other = jobs.enqueue(new SendMail("a@b.c", null), o -> o.delay(Duration.ofDays(3)));
        browser.open("?other#/jobs/" + other).click("button[data-chosen=reschedule]");
        browser.script("document.querySelector('dialog input[name=at]').value = '2031-05-06T07:08:09'");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#said", "Job " + other + ": rescheduled.");
        assertThat(search.find(other).orElseThrow().dueAt()).isAfter(java.time.Instant.parse("2031-05-01T00:00:00Z"));
        browser.settled().click("button[data-chosen=run-now]").click("dialog [data-confirm]");
        browser.awaitText("h1", "completed");
        browser.awaitText("main", "Result");
    }

    @Test
    void theTimelineSaysWhoActedAndWhy() {
        long one = jobs.enqueue(new Charge(6002), o -> o.key("timeline"));
        Awaitility.await().until(() -> died(one, 1));
        admin.by("carla", "gateway is back").redrive(one);
        Awaitility.await().until(() -> died(one, 2));
        admin.by("dave", "once more for all").redrive(JobFilter.where().key("timeline"));
        Awaitility.await().until(() -> died(one, 3));

        browser.open("?acted#/jobs/" + one);

        browser.awaitText("main .timeline", "once more for all");
        assertThat(browser.text("main .timeline"))
                .containsSubsequence(
                        "attempt 1 failed",
                        "redrive",
                        "by carla: gateway is back",
                        "attempt 1 failed",
                        "redrive",
                        "by dave: once more for all",
                        "bulk action",
                        "attempt 1 failed",
                        "dead");
        browser.screenshot("acted");
        assertThat(browser.barriers()).isEmpty();
        browser.click("main .timeline a[href^='#/actions']").settled();
        assertThat(browser.text("tr:has([aria-current])")).contains("dave", "once more for all");
        admin.discard(one);
    }

    private boolean died(long id, int times) {
        JobDetails job = search.find(id).orElseThrow();
        return job.state() == JobState.DEAD && job.errors().size() == times;
    }

    @Test
    void whyAJobDiedAndWhatItCarriesStandAboveItsTimeline() {
        long one = jobs.enqueue(new Charge(7002));
        Awaitility.await().until(() -> died(one, 1));
        browser.open("?order#/jobs/" + one);
        browser.awaitText("main .timeline", "dead");

        assertThat(browser.text("main h2").lines()).containsSubsequence("Why it died", "Payload", "Timeline");
        assertThat(browser.one("main pre.code").getCssValue("white-space-collapse"))
                .isEqualTo("preserve");
        assertThat(browser.one("main pre.code").getCssValue("text-wrap-mode")).isEqualTo("nowrap");
        browser.click("main .codes .copy");
        browser.awaitText("main .codes .copy", "Copied");
        admin.discard(one);
    }

    @Test
    void ofALongTimelineTheNewestEventsAreShownAndTheOthersUnfolded() {
        long one = jobs.enqueue(new Sync("long"));
        for (int attempt = 1; attempt < 6; attempt++) {
            awaitRetry(one, attempt);
            admin.runNow(one);
        }
        awaitRetry(one, 6);

        browser.open("?long#/jobs/" + one);

        // What people did comes after the rest: without it there are two older events.
        browser.awaitText("main summary", "7 older events");
        assertThat(browser.text("main .timeline")).contains("attempt 6 failed").doesNotContain("attempt 1 failed");
        browser.clickText("main summary", "7 older events");
        browser.awaitText("main .timeline", "attempt 1 failed");
        admin.cancel(one);
    }

    private void awaitRetry(long id, int attempts) {
        Awaitility.await().until(() -> {
            JobDetails job = search.find(id).orElseThrow();
            return job.state() == JobState.WAITING && job.attempt() == attempts;
        });
    }
}
