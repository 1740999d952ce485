package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.browser.Browser;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Recurring jobs. */
@PageTest
class SchedulesPageTest {

    private final Fixture fixture;
    private final JobSearch search;
    private Browser browser;

    SchedulesPageTest(@Autowired Fixture fixture, @Autowired JobSearch search) {
        this.fixture = fixture;
        this.search = search;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void aRecurringJobIsRunPausedAndResumed() {
        browser.open("#/schedules");
        browser.awaitText("main", "nightly");
        browser.click("button[aria-label='Run nightly now']").click("dialog [data-confirm]");
        browser.awaitText("#said", "is enqueued");
        browser.click("button[aria-label='Pause nightly']").click("dialog [data-confirm]");
        browser.awaitText("main", "paused");
        browser.click("button[aria-label='Resume nightly']").click("dialog [data-confirm]");
        browser.one("button[aria-label='Pause nightly']");

        assertThat(fixture.audited("run recurring job"))
                .first()
                .satisfies(line -> assertThat(line.who()).isEqualTo("ann"));
    }

    @Test
    void theLastRunsOfARecurringJobLeadToTheirJobs() {
        browser.open("?runs#/schedules")
                .click("button[aria-label='Run nightly now']")
                .click("dialog [data-confirm]");
        browser.awaitText("#said", "is enqueued");
        String job = browser.text("#said").replaceAll("\\D", "");
        Awaitility.await()
                .until(() -> search.find(Long.parseLong(job)).orElseThrow().state() == JobState.COMPLETED);

        browser.open("?ran#/schedules?find=NIGHT");
        browser.click(".marks a[aria-label='job " + job + ": completed']").settled();

        browser.awaitText("h1", "Job " + job);
        browser.open("?none#/schedules?find=no-such").awaitText("main", "None has this in its name.");
    }
}
