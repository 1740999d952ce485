package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.beans.factory.annotation.Autowired;

/** The list of jobs: it is searched, and acts on jobs that were chosen and on all that match. */
@PageTest
class JobsPageTest {

    private final Fixture fixture;
    private final JobSearch search;
    private Browser browser;

    JobsPageTest(@Autowired Fixture fixture, @Autowired JobSearch search) {
        this.fixture = fixture;
        this.search = search;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void filtersStandInTheAddressAndPagesGoBackByIds() {
        browser.open("#/jobs?state=completed&queue=mail");
        browser.await("counted", d -> browser.text("main [role=status]").matches("12\\d jobs"));
        String first = browser.text("tbody tr:first-child a[data-row]");
        assertThat(browser.count("tbody tr")).isEqualTo(50);

        browser.clickText("main a.button", "Older jobs");
        browser.await(
                "the second page",
                d -> !browser.text("tbody tr:first-child a[data-row]").equals(first));
        assertThat(browser.driver().getCurrentUrl()).contains("before=", "queue=mail");
        browser.driver().navigate().back();
        browser.await(
                "the first page",
                d -> browser.text("tbody tr:first-child a[data-row]").equals(first));

        browser.type("input[name=type]", "no-such-type", Keys.ENTER);
        browser.awaitText("main", "No job matches.");
        assertThat(browser.driver().getCurrentUrl()).contains("type=no-such-type");
    }

    @Test
    void oneBoxFindsJobsByIdKeyUniqueKeyAndTypeAndWorkflows() {
        long job = search.find(JobFilter.where().key("tenant-7"), Page.first(1))
                .jobs()
                .get(0)
                .id();
        browser.open("?find#/nodes").clickText(".tools button", "Find");
        find(Long.toString(job), "Job " + job);
        find("tenant-7", "Key tenant-7");
        find("send-mail/digest-of-ada", "Unique key send-mail/digest-of-ada");
        find("no-such-thing", "Nothing that has not completed has this");
        assertThat(browser.text("dialog")).contains("Among completed jobs").doesNotContain("server");
        assertThat(browser.barriers()).isEmpty();
        browser.screenshot("find");
        browser.clickText("dialog a", "type");
        browser.await("the list", d -> d.getCurrentUrl().endsWith("#/jobs?type=no-such-thing"));
        assertThat(browser.count("dialog")).isZero();
    }

    private void find(String text, String found) {
        browser.type("dialog input", text, Keys.ENTER);
        browser.awaitText("dialog [role=status]", found);
    }

    @Test
    void jobsShowTheirTitles() {
        browser.open("?titles#/jobs?type=report&key=tenant-7");
        browser.awaitText("thead", "Title");
        assertThat(browser.text("tbody tr")).contains("yearly report");

        browser.open("?titles#/jobs/" + fixture.running());
        browser.awaitText("main .title", "yearly report");

        browser.open("?titles#/jobs?type=charge");
        browser.awaitText("thead", "Attempt");
        assertThat(browser.text("thead")).doesNotContain("Title");
    }

    @Test
    void aJobThatHasEndedSaysHowLongItRan() {
        browser.open("?ran#/jobs?state=completed&queue=mail");
        assertThat(browser.text("thead")).contains("Ran for");
        assertThat(browser.text("tbody tr:first-child td[data-label='Ran for']"))
                .matches("[\\d.]+ m?s");

        browser.open("?waits#/jobs?state=waiting");
        assertThat(browser.text("thead")).doesNotContain("Ran for");
    }

    @Test
    void aListIsSavedForSpreadsheetsAndNoTextOfItIsAFormula() {
        browser.open("?csv#/jobs?queue=mail");
        browser.script("""
                const make = URL.createObjectURL;
                URL.createObjectURL = blob => { blob.text().then(text => window.saved = text); return make(blob); };
                const get = window.fetch;
                window.fetch = async (url, options) => {
                  const answer = await get(url.replace('size=200', 'size=50'), options);
                  if (!url.includes('before=')) return answer;
                  const page = await answer.json();
                  if (!page.next) page.jobs[0].error = '=HYPERLINK("http://evil.example", "a,b")';
                  return new Response(JSON.stringify(page), {headers: answer.headers});
                };""");
        browser.clickText("main button", "CSV");
        browser.await("saved", d -> browser.script("return window.saved ?? null") != null);

        String saved = (String) browser.script("return window.saved");
        long jobs = search.count(JobFilter.where().queue("mail"), 100_000).jobs();
        assertThat(saved.lines().findFirst().orElseThrow())
                .endsWith(
                        "id,state,queue,type,title,key,uniqueKey,priority,attempt,enqueuedAt,dueAt,startedAt,endedAt,errorType,error");
        assertThat(saved.lines().skip(1)).hasSize((int) jobs).allMatch(line -> line.matches("\\d+,\\w+,mail,.*"));
        assertThat(saved).contains(",\"'=HYPERLINK(\"\"http://evil.example\"\", \"\"a,b\"\")\"");
    }

    @Test
    void resetTakesAwayWhatWasTypedEvenWhereNothingWasSearched() {
        browser.open("?reset#/jobs").type("input[name=type]", "charge").clickText("main form a", "Reset");

        assertThat(browser.one("input[name=type]").getDomProperty("value")).isEmpty();
    }

    @Test
    void aSearchThatIsRefusedSaysWhy() {
        browser.open("#/jobs?payload=%24.%5B");
        browser.awaitText("main .error", "jsonpath");
        assertThat(browser.one("main form input[name=payload]").getDomProperty("value"))
                .as("what was asked for, to be asked for better")
                .isEqualTo("$.[");

        // The browser itself tells of the status 400.
        assertThat(browser.console()).allSatisfy(line -> assertThat(line).contains("status of 400"));
    }

    @Test
    void chosenJobsAreCancelledAndAnActionCanBeStopped() {
        browser.open("#/jobs?state=waiting&type=report");
        browser.click("thead input[type=checkbox]");
        browser.awaitText("main", "30 jobs chosen");
        browser.click("button[data-chosen=priority]").type("dialog input[name=priority]", "7");
        browser.click("dialog [data-confirm]");
        browser.awaitText("dialog", "Finished after 30 jobs: 30 given another priority");
        browser.screenshot("chosen");
        browser.clickText("dialog button", "Close").settled();

        browser.await("chosen", d -> {
            browser.click("tbody tr:first-child input[type=checkbox]");
            return browser.text("main").contains("1 job chosen");
        });
        browser.click("button[data-chosen=cancel]");
        assertThat(browser.text("dialog #act-text")).contains("do not come back");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#said", "cancelled");

        browser.open("?stop#/jobs?state=waiting&type=report").click("button[data-all=cancel]");
        browser.awaitText("dialog h2", "Cancel: 29 jobs");
        browser.type("dialog input[name=rate]", "1").click("dialog [data-confirm]");
        browser.awaitText("dialog", "running");
        browser.clickText("dialog button", "Stop");
        browser.awaitText("dialog", "cancelled:");
        browser.clickText("dialog button", "Close");
        assertThat(search.find(JobFilter.where().states(JobState.WAITING).type("report"), Page.first(100))
                        .jobs())
                .isNotEmpty()
                .allSatisfy(job -> assertThat(job.priority()).isEqualTo(7));
    }

    @Test
    void aUniqueKeyIsShownAndFindsItsJob() {
        browser.open("#/jobs?state=waiting&queue=mail");
        assertThat(browser.text("thead")).contains("Unique key");

        browser.clickText("tbody a", "digest-of-ada").settled();
        browser.await("the job alone", d -> browser.count("tbody tr") == 1);
        assertThat(browser.driver().getCurrentUrl()).contains("uniqueKey=digest-of-ada", "type=send-mail");

        browser.click("tbody a[data-row]").settled();
        assertThat(browser.text("main dl")).contains("Unique key", "digest-of-ada");
    }

    @Test
    void allJobsAreActedOnOnlyWhereAFilterNamesSome() {
        browser.open("?bulk#/jobs");
        assertThat(browser.count("button[data-all]")).isZero();
        assertThat(browser.text("main")).contains("filter the list to act on all that match");

        browser.open("?bulk-none#/jobs?queue=no-such&state=dead");
        browser.awaitText("main", "No job matches.");
        assertThat(browser.count("button[data-all]")).isZero();

        browser.open("?bulk-some#/jobs?queue=payments&state=dead");
        assertThat(browser.count("button[data-all=redrive]")).isOne();
    }

    @Test
    void statesOfDeadJobsSayThatTheyAreDeadAndTheirWordsAreExplained() {
        browser.open("?words#/jobs?state=dead");

        assertThat(browser.text("main fieldset"))
                .containsPattern("\\bdead\\b(?!:)")
                .contains("dead: quarantined");
        assertThat(browser.text("tbody tr:first-child .state")).isEqualTo("dead");
        browser.click("main .words summary");
        assertThat(browser.text("main .words")).contains("its nodes crashed too often", "until somebody redrives");
    }
}
