package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.Handlers.Sync;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.springframework.beans.factory.annotation.Autowired;

/** What all pages have in common: they open, stand in narrow windows, are used by keyboard, and show no more than one may see. */
@PageTest
class EveryPageTest {

    private final Fixture fixture;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private Browser browser;

    EveryPageTest(
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
    @LongRunning
    void everyPageOpensAndHasNoBarrierInBothThemes() {
        for (String theme : List.of("light", "dark")) {
            browser.open("").script("localStorage.setItem('rowlock-theme', arguments[0])", theme);
            for (String page : List.of(
                    "",
                    "jobs",
                    "jobs/" + fixture.evil(),
                    "jobs/" + fixture.running(),
                    "errors",
                    "schedules",
                    "workflows",
                    "gates?queue=payments",
                    "pauses",
                    "actions",
                    "nodes",
                    "doctor",
                    "audit")) {
                browser.open("?" + theme + "#/" + page);
                if (page.isEmpty()) {
                    browser.awaitText("main", "payments");
                    browser.await(
                            "findings of the doctor", d -> !browser.text("main").contains("The doctor looks"));
                }
                browser.screenshot(theme + "-" + (page.isEmpty() ? "overview" : page.replaceAll("[^a-z]+", "-")));

                assertThat(browser.barriers()).as(theme + " " + page).isEmpty();
            }
        }
    }

    @Test
    void everyPageOpensInANarrowWindowWithoutABarrier() {
        everyPageFits(360);
    }

    @Test
    @LongRunning
    void everyPageOpensInALessNarrowWindow() {
        everyPageFits(480);
    }

    private void everyPageFits(int width) {
        browser.narrow(width);
        try {
            for (String page : List.of(
                    "",
                    "jobs",
                    "jobs/" + fixture.evil(),
                    "errors",
                    "schedules",
                    "workflows",
                    "gates?queue=payments",
                    "pauses",
                    "actions",
                    "nodes",
                    "doctor",
                    "audit")) {
                browser.open("?narrow" + width + "#/" + page);
                browser.screenshot(
                        "narrow-" + width + "-" + (page.isEmpty() ? "overview" : page.replaceAll("[^a-z]+", "-")));

                assertThat((Long) browser.script(
                                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                        .as(page)
                        .isLessThanOrEqualTo(0);
                assertThat(
                                (Long)
                                        browser.script(
                                                "return [...document.querySelectorAll('main td *')].filter(e => e.getBoundingClientRect().right > innerWidth).length"))
                        .as("what lies beside the window on " + page)
                        .isZero();
                assertThat((Long) browser.script("return document.querySelector('#top nav').clientHeight"))
                        .as("the pages stand in one line on " + page)
                        .isLessThan(50);
                assertThat(
                                (Boolean)
                                        browser.script(
                                                "const r = document.querySelector('#top nav [aria-current]').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth"))
                        .as("the name of the page is in sight on " + page)
                        .isTrue();
                assertThat(browser.barriers()).as(page).isEmpty();
            }
            browser.open("?dialog" + width + "#/jobs/" + fixture.running()).click("button[data-chosen=cancel]");
            browser.one("dialog [data-confirm]");
            browser.screenshot("narrow-" + width + "-dialog");
            assertThat(
                            (Boolean)
                                    browser.script(
                                            "const r = document.querySelector('dialog').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth"))
                    .isTrue();
            browser.escape();
        } finally {
            browser.asWideAsItsWindow();
        }
    }

    @Test
    void whatJobsCarryIsShownAsTextWhateverItIs() {
        browser.open("#/jobs/" + fixture.evil());
        assertThat(browser.text("main")).contains(Fixture.SCRIPT, "9007199254740993");
        assertThat(browser.one("main a[href^='https://traces.example']").getDomAttribute("href"))
                .isEqualTo("https://traces.example/0af7651916cd43dd8448eb211c80319c");

        browser.open("#/jobs?state=waiting&queue=mail");
        assertThat(browser.text("main")).contains("send-mail");
        browser.click("tbody a[data-row]").settled();
        browser.awaitText("main", Fixture.SCRIPT);

        assertThat(browser.count("main img, main script, main iframe, main [onerror]"))
                .isZero();
    }

    @Test
    void thePageIsUsedByKeyboard() {
        browser.open("#/jobs?state=dead");
        browser.press("j");
        browser.press("j");
        String second = browser.text("tbody tr:nth-child(2) a[data-row]");
        browser.press("x");
        browser.awaitText("main", "1 job chosen");
        browser.press(Keys.ENTER).settled();
        browser.awaitText("h1", "Job " + second);
        browser.press("?");
        browser.awaitText("dialog[open]", "Keyboard");
        browser.screenshot("keyboard");
        browser.escape();
        browser.await("help is closed", d -> browser.count("dialog") == 0);
        browser.press("2").settled();
        browser.press("/");
        browser.await(
                "the search has the focus",
                d -> "queue".equals(d.switchTo().activeElement().getDomAttribute("name")));
    }

    @Test
    void theFocusStaysOrFindsAPlace() {
        String waiting = ".tiles a[href='#/jobs?state=waiting']";
        browser.open("");
        browser.await("figures", d -> browser.count("#main tbody tr") > 2);
        String before = browser.text(waiting);
        browser.script("document.querySelector(arguments[0]).focus()", waiting);
        jobs.enqueue(new Sync("dora"), o -> o.queue("focus").delay(Duration.ofHours(1)));
        fixture.countOneWaiting("focus");
        browser.await("another figure", d -> !browser.text(waiting).equals(before));
        assertThat(browser.driver().switchTo().activeElement().getDomAttribute("href"))
                .isEqualTo("#/jobs?state=waiting");

        browser.open("?gone#/jobs?queue=focus").click("tbody tr:first-child input[type=checkbox]");
        browser.click("button[data-chosen=priority]").type("dialog input[name=priority]", "3");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#said", "given another priority");
        browser.await(
                "the button has gone, and main has the focus",
                d -> browser.count("dialog, button[data-chosen]") == 0
                        && "main".equals(d.switchTo().activeElement().getDomAttribute("id")));
    }

    @Test
    void whoMayOnlyLookSeesNoButtonsAndNoPayload() {
        browser.cookie("level", "read_only");
        try {
            for (String page : List.of(
                    "", "jobs", "errors", "schedules", "workflows", "gates", "pauses", "actions", "nodes", "audit")) {
                browser.open("?reader#/" + page);
                assertThat(browser.text("main button").lines()).as(page).isSubsetOf("CSV", "Search");
            }
            browser.open("?reader#/jobs/" + fixture.evil());
            assertThat(browser.text("main")).contains("do not see payloads").doesNotContain("9007199254740993");
            browser.screenshot("reader");
        } finally {
            browser.cookie("level", "admin");
        }
    }

    @ParameterizedTest
    @LongRunning
    @CsvSource({"jobs, No job matches", "errors, No job is dead"})
    void aListSaysWhenThereIsMore(String page, String empty) {
        String queue = "more-" + page;
        browser.open("?more-%1$s#/%1$s?queue=%2$s".formatted(page, queue));
        browser.awaitText("main", empty);

        // The page compares with the first figures that it gets, and nothing tells when those were counted.
        AtomicInteger looks = new AtomicInteger();
        browser.await("the button", d -> {
            if (looks.getAndIncrement() % 50 == 0) {
                jobs.enqueue(new Report("one more"), o -> o.queue(queue).delay(Duration.ofHours(1)));
            }
            return browser.text("main .head").contains("Load what is new");
        });
        browser.click("main .head button");

        browser.await("it is loaded", d -> !browser.text("main .head").contains("Load what is new"));
        if (page.equals("jobs")) {
            browser.awaitText("main tbody", "waiting");
        }
        search.find(JobFilter.where().queue(queue), Page.first(100)).jobs().forEach(job -> admin.cancel(job.id()));
    }

    @Test
    void figuresStopWhileTheyArePaused() {
        browser.open("");
        browser.await("live", d -> browser.text("#top .live").equals("Live"));
        browser.click("#top .live");
        browser.await("paused", d -> browser.text("#top .live").equals("Paused"));
        browser.click("#top .live");
        browser.await("live again", d -> browser.text("#top .live").equals("Live"));
        browser.click("#top button[title='Dark or light']");
        assertThat(browser.script("return document.documentElement.dataset.theme"))
                .isIn("dark", "light");
    }
}
