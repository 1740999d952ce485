package dev.rowlock.queue.test.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.openqa.selenium.Keys;

/** Each page and each action, among {@link ManyJobs}, in whatever application. */
public final class Walk {

    private static final List<String> PAGES = List.of(
            "",
            "jobs",
            "jobs?state=ready",
            "jobs?queue=bulk-7&state=waiting,ready,running,dead,quarantined",
            "jobs?state=dead&errorType=E7",
            "jobs?key=tenant-77&state=ready",
            "jobs?state=dead&before=600000",
            "errors",
            "errors?queue=bulk-7",
            "schedules",
            "workflows",
            "gates",
            "actions",
            "nodes",
            "doctor",
            "audit");

    private final Browser browser;
    private final String name;

    /**
     * @param browser of somebody who may do everything
     * @param name of this application, for screenshots
     */
    public Walk(Browser browser, String name) {
        this.browser = browser;
        this.name = name;
    }

    /** Each page must be there with its counts before the browser loses its patience, and no search may have been stopped. */
    public void pages() {
        for (String page : PAGES) {
            browser.open("?many#/" + page);

            assertThat(browser.count("main .error[role=alert]")).as(page).isZero();
            if (page.isEmpty()) {
                browser.await("the last hour", d -> browser.count(".chart rect") == 60);
            }
            browser.screenshot(name + "-" + (page.isEmpty() ? "overview" : page.replaceAll("[^a-zA-Z0-9]+", "-")));
        }
        browser.requireQuietConsole();
    }

    /** Each of them leaves a line in the audit, in the name of whoever walks. */
    public void actions(String who) {
        pauses();
        singleJobs();
        kindsOfErrors();
        allThatMatch();
        schedules();
        workflows();
        limits();
        browser.open("#/doctor").clickText("main button", "Examine now");
        browser.await("findings", d -> browser.count("main details") > 3);
        browser.open("?all#/audit?who=" + who);
        assertThat(browser.text("main tbody").lines().filter(line -> line.contains(who)))
                .hasSizeGreaterThan(20);
        browser.screenshot(name + "-audit-of-all");
        browser.requireQuietConsole();
    }

    private void pauses() {
        browser.open("").type("main input[type=search]", "bulk-77");
        browser.click("button[aria-label='Pause queue bulk-77']").type("dialog input[name=why]", "ticket 7");
        confirm().awaitText("#pauses", "Queue bulk-77 paused");
        browser.click("button[aria-label='Resume queue bulk-77']");
        confirm().await("it is resumed", d -> !browser.text("#pauses").contains("bulk-77"));
        browser.open("?type#/").clickText("main button", "Pause a type…").type("dialog input[name=name]", "import");
        confirm().awaitText("#pauses", "Type import paused");
        browser.clickText("#pauses button", "Resume");
        browser.await("it is resumed", d -> !browser.text("#pauses").contains("import"));
        browser.open("?everything#/").clickText("main button", "Pause everything…");
        confirm().awaitText("#pauses", "Everything paused");
        browser.open("?resume#/").clickText("main button", "Resume everything…");
        confirm().await("it is resumed", d -> !browser.text("#pauses").contains("Everything"));
    }

    private void singleJobs() {
        browser.open("#/jobs?queue=bulk-tried&state=waiting");
        String job = browser.text("tbody tr:first-child a[data-row]");
        browser.open("#/jobs/" + job).click("button[data-chosen=reschedule]");
        browser.script("document.querySelector('dialog input[name=at]').value = '2031-05-06T07:08:09'");
        said("rescheduled");
        browser.settled().clickText("main button", "Edit…");
        browser.type("dialog textarea", "{\"shelf\": 7}").click("dialog input[name=unchecked]");
        confirm().awaitText("main pre", "\"shelf\": 7");
        browser.click("button[data-chosen=priority]").type("dialog input[name=priority]", "7");
        said("given another priority");
        browser.click("button[data-chosen=run-now]");
        said("due now");
        browser.awaitText("h1", "ready");
        browser.click("button[data-chosen=cancel]");
        said("cancelled");

        browser.open("?dead#/jobs?queue=bulk-8&state=dead").click("tbody tr:nth-child(1) input[type=checkbox]");
        browser.click("tbody tr:nth-child(2) input[type=checkbox]").click("button[data-chosen=redrive]");
        confirm().awaitText("dialog", "Finished after 2 jobs: 2 redriven");
        close();
        browser.await("chosen", d -> {
            browser.click("tbody tr:first-child input[type=checkbox]");
            return browser.text("main").contains("1 job chosen");
        });
        browser.click("button[data-chosen=discard]");
        said("discarded");
    }

    private void kindsOfErrors() {
        browser.open("?tried#/errors?queue=bulk-tried").click("button[data-all=run-now]");
        confirm().awaitText("dialog", "Finished after 2 jobs: 2 due now");
        close();
        browser.open("?dead#/errors").click("tbody tr:first-child button[data-all=redrive]");
        browser.awaitText("dialog h2", "Redrive: %s jobs".formatted(ManyJobs.DEAD_OF_A_KIND));
        browser.screenshot(name + "-confirm");
        confirm().awaitText("dialog", "finished: %1$s of %1$s".formatted(ManyJobs.DEAD_OF_A_KIND));
        close();
    }

    private void allThatMatch() {
        browser.open("?all#/jobs?state=dead").click("button[data-all=discard]");
        browser.awaitText("dialog h2", "Discard: 100,000+ jobs");
        browser.type("dialog input[name=rate]", "100");
        confirm().awaitText("dialog", "running");
        browser.clickText("dialog button", "Stop");
        browser.awaitText("dialog", "cancelled:");
        close();
        browser.open("?all#/jobs?queue=bulk-9&state=ready").click("button[data-all=cancel]");
        browser.awaitText("dialog h2", "Cancel: %s jobs".formatted(ManyJobs.READY_IN_A_QUEUE));
        browser.type("dialog input[name=rate]", "1");
        confirm().awaitText("dialog", "running");
        close();
        browser.open("?stop#/actions").clickText("main button", "Stop");
        browser.await("it is stopped", d -> browser.count("main button[aria-label^='Stop action']") == 0);
    }

    private void schedules() {
        browser.open("#/schedules").click("button[aria-label='Run bulk-nightly now']");
        said("is enqueued");
        browser.click("button[aria-label='Pause bulk-nightly']");
        confirm().one("button[aria-label='Resume bulk-nightly']");
        browser.click("button[aria-label='Resume bulk-nightly']");
        confirm().one("button[aria-label='Pause bulk-nightly']");
        browser.click("button[aria-label='Delete bulk-nightly']");
        confirm().await("it has gone", d -> !browser.text("main").contains("bulk-nightly"));
    }

    private void workflows() {
        browser.open("#/workflows").clickText("main a", "bulk-flow").settled();
        browser.click("button[data-cancel]");
        confirm().awaitText("h1", "cancelled");
    }

    private void limits() {
        browser.open("#/gates").clickText("main button", "Set a limit…").type("dialog input[name=queue]", "bulk-6");
        browser.type("dialog input[name=maxRunningPerKey]", "3").type("dialog input[name=rate]", "100/min");
        confirm().one("button[aria-label='Slow down bulk-6']");
        browser.click("button[aria-label='Slow down bulk-6']");
        said("Nothing of it begins");
        browser.click("button[aria-label='Change the limits of bulk-6']").type("dialog input[name=maxRunning]", "50");
        confirm().awaitText("main tbody", "50");
        browser.click("a[aria-label='Keys of bulk-6']").settled();
        browser.clickText("main button", "Set a weight…").type("dialog input[name=key]", "tenant-6");
        browser.type("dialog input[name=weight]", Keys.chord(Keys.CONTROL, "a"), "9");
        confirm().awaitText("main section[aria-label='Keys of bulk-6']", "tenant-6");
        browser.click("button[aria-label='Remove the limits of bulk-6']");
        confirm().await("it has gone", d -> browser.count("button[aria-label='Remove the limits of bulk-6']") == 0);
    }

    private Browser confirm() {
        return browser.click("dialog [data-confirm]");
    }

    private void said(String words) {
        confirm().awaitText("#said", words);
        browser.await("the dialog has gone", d -> browser.count("dialog") == 0);
    }

    private void close() {
        browser.clickText("dialog button", "Close");
        browser.await("the dialog has gone", d -> browser.count("dialog") == 0);
        browser.settled();
    }
}
