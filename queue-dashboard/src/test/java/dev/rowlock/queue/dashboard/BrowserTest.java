package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers.Charge;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.dashboard.Handlers.Sync;
import dev.rowlock.queue.dashboard.browser.Browser;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.openqa.selenium.Keys;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Each page and each action, as people see and use them. The console must say nothing all the while. */
@SpringBootTest(
        classes = PlainApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            "rowlock.dashboard.trace-link=https://traces.example/{traceId}",
            "rowlock.worker.node-name=node-1",
            "logging.level.dev.rowlock.queue.failures=off"
        })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrowserTest {

    /** What somebody might put into a job, so that it runs in an operator's browser. */
    private static final String SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>";

    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private final QueueLimits limits;
    private final Workflows workflows;
    private final int port;
    private Browser browser;
    private long evil;
    private long running;

    BrowserTest(
            @LocalServerPort int port,
            @Autowired JobTemplate jobs,
            @Autowired JobAdmin admin,
            @Autowired JobSearch search,
            @Autowired QueueLimits limits,
            @Autowired Rowlock rowlock) {
        this.port = port;
        this.jobs = jobs;
        this.admin = admin;
        this.search = search;
        this.limits = limits;
        this.workflows = rowlock.workflows();
    }

    @BeforeAll
    void fill() {
        Handlers.held = new CountDownLatch(1);
        jobs.enqueueAll(IntStream.range(0, 120)
                .mapToObj(i -> new SendMail("customer-%d@example.com".formatted(i), "Your order"))
                .toList());
        jobs.enqueueAll(
                IntStream.range(0, 75).mapToObj(i -> new Charge(4000 + i)).toList());
        evil = jobs.enqueue(
                new Charge(9_007_199_254_740_993L),
                o -> o.header("note", SCRIPT)
                        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        running = jobs.enqueue(new Report("yearly"), o -> o.key("tenant-7"));
        jobs.enqueue(
                new SendMail("ada@example.com", "Once a day"),
                o -> o.delay(Duration.ofHours(3)).unique("digest-of-ada"));
        jobs.enqueue(
                new SendMail(SCRIPT, SCRIPT), o -> o.delay(Duration.ofHours(2)).key(SCRIPT));
        IntStream.range(0, 30)
                .forEach(i -> jobs.enqueue(new Report("month " + i), o -> o.delay(Duration.ofMinutes(10 + i))));
        workflows.start(Workflow.named("signup")
                .step("greet", new SendMail("greet@example.com", null))
                .step("remind", new SendMail("remind@example.com", null), s -> s.after("greet")));
        limits.set(QueueLimit.of("mail").maxRunning(5).ratePerKey(Rate.perMinute(600)));
        limits.set(QueueLimit.of("payments").inOrder(AfterFailure.HOLD));
        admin.by("bob", "provider is down").pause("newsletter");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> dead() == 76
                        && search.find(running).orElseThrow().progress() != null
                        && !search.depths().isEmpty());
        browser = Browser.start("http://localhost:%d/rowlock/".formatted(port));
        browser.cookie("level", "admin");
    }

    private long dead() {
        return search.count(JobFilter.where().states(JobState.FAILED), 1_000).jobs();
    }

    @AfterAll
    void end() {
        Handlers.held.countDown();
        if (browser != null) {
            browser.close();
        }
    }

    @AfterEach
    void theConsoleHasSaidNothing() {
        browser.requireQuietConsole();
    }

    @Test
    void everyPageOpensAndHasNoBarrierInBothThemes() {
        for (String theme : List.of("light", "dark")) {
            browser.open("").script("localStorage.setItem('rowlock-theme', arguments[0])", theme);
            for (String page : List.of(
                    "",
                    "jobs",
                    "jobs/" + evil,
                    "jobs/" + running,
                    "errors",
                    "schedules",
                    "workflows",
                    "gates?queue=payments",
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
    void nothingIsWiderThanANarrowWindow() {
        browser.size(390, 800);
        try {
            for (String page : List.of(
                    "",
                    "jobs",
                    "jobs/" + evil,
                    "errors",
                    "schedules",
                    "workflows",
                    "gates?queue=payments",
                    "actions",
                    "nodes",
                    "doctor",
                    "audit")) {
                browser.open("?narrow#/" + page);
                browser.screenshot("narrow-" + (page.isEmpty() ? "overview" : page.replaceAll("[^a-z]+", "-")));

                assertThat((Long) browser.script(
                                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                        .as(page)
                        .isLessThanOrEqualTo(0);
            }
        } finally {
            browser.size(1400, 900);
        }
    }

    @Test
    void whatJobsCarryIsShownAsTextWhateverItIs() {
        browser.open("#/jobs/" + evil);
        assertThat(browser.text("main")).contains(SCRIPT, "9007199254740993");
        assertThat(browser.one("main a[href^='https://traces.example']").getDomAttribute("href"))
                .isEqualTo("https://traces.example/0af7651916cd43dd8448eb211c80319c");

        browser.open("#/jobs?state=waiting&queue=mail");
        assertThat(browser.text("main")).contains("send-mail");
        browser.click("tbody a[data-row]").settled();
        browser.awaitText("main", SCRIPT);

        assertThat(browser.count("main img, main script, main iframe, main [onerror]"))
                .isZero();
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
    void thePageIsUsedByKeyboard() {
        browser.open("#/jobs?state=failed");
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
        browser.await("another figure", d -> !browser.text(waiting).equals(before));
        assertThat(browser.driver().switchTo().activeElement().getDomAttribute("href"))
                .isEqualTo("#/jobs?state=waiting");

        browser.open("?gone#/jobs?queue=focus").click("tbody tr:first-child input[type=checkbox]");
        browser.click("button[data-chosen=priority]").type("dialog input[name=priority]", "3");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#said", "done");
        browser.await(
                "the button has gone, and main has the focus",
                d -> browser.count("dialog, button[data-chosen]") == 0
                        && "main".equals(d.switchTo().activeElement().getDomAttribute("id")));
    }

    @Test
    void timesAreTheViewersAndSayTheExactInstant() {
        browser.open("#/jobs/" + evil);

        assertThat(browser.one("main time").getDomAttribute("title"))
                .contains(search.find(evil).orElseThrow().enqueuedAt().toString());

        // Reasons are texts of the database: their times are the viewer's too.
        browser.open("?reasons#/jobs/" + running);
        assertThat(browser.text("main li[data-kind]")).contains("node-1").doesNotContain("+00");
        assertThat(browser.count("main li[data-kind] time")).isOne();
    }

    @Test
    void progressOfARunningJobAndItsEndComeByThemselves() {
        long held = jobs.enqueue(new Report("live"));
        Awaitility.await().until(() -> search.find(held).orElseThrow().progress() != null);
        browser.open("#/jobs/" + held);
        browser.awaitText("main", "40 %: page 4 of 10");

        CountDownLatch before = Handlers.held;
        Handlers.held = new CountDownLatch(1);
        before.countDown();

        browser.awaitText("h1", "completed");
    }

    @Test
    void aQueueIsPausedAndResumedAndTheAuditNamesWho() {
        browser.open("");
        browser.awaitText("main", "payments");
        browser.click("button[aria-label='Pause queue payments']");
        browser.type("dialog input[name=why]", "ticket 7");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#pauses", "Queue payments paused");
        assertThat(admin.pauses()).anySatisfy(pause -> {
            assertThat(pause.name()).isEqualTo("payments");
            assertThat(pause.who()).isEqualTo("ann");
        });
        browser.screenshot("paused");

        browser.click("button[aria-label='Resume queue payments']").click("dialog [data-confirm]");
        browser.await("it is resumed", d -> !browser.text("#pauses").contains("payments"));

        assertThat(audited("pause")).first().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("ticket 7");
            assertThat(line.subject()).isEqualTo("queue payments");
        });
    }

    @Test
    void everythingIsPausedAndResumed() {
        browser.open("");
        browser.clickText("main button", "Pause everything…").click("dialog [data-confirm]");
        browser.awaitText("#pauses", "Everything paused");
        browser.clickText("main button", "Pause a type…").type("dialog input[name=name]", "charge");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#pauses", "Type charge paused");

        browser.clickText("#pauses button", "Resume");
        browser.await("one is resumed", d -> admin.pauses().size() == 2);
        admin.resumeEverything();
        admin.resumeType("charge");
        browser.await(
                "the banner has gone by itself", d -> !browser.text("#pauses").contains("charge"));
    }

    @Test
    void allJobsOfAnErrorGroupAreRedrivenInOneGo() {
        browser.open("#/errors");
        browser.awaitText("main", "card declined");
        int groups = browser.count("tbody tr");
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
            browser.screenshot("progress");
            browser.clickText("dialog button", "Close");
        } finally {
            Handlers.declining = true;
        }

        browser.await("the group has gone", d -> browser.count("tbody tr") == groups - 1);
        assertThat(audited("redrive")).first().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("gateway is back");
            assertThat(line.jobs()).isEqualTo(38);
        });
        browser.go("/actions");
        browser.awaitText("main", "finished");
        // So that the tests after this one find what they look for.
        jobs.enqueueAll(
                IntStream.range(0, 38).mapToObj(i -> new Charge(4001 + 2 * i)).toList());
        Awaitility.await().until(() -> dead() >= 38);
    }

    @Test
    void allJobsThatAreTriedAgainForOneErrorAreRunNowAndCancelled() {
        List<Long> ids = LongStream.of(jobs.enqueueAll(
                        List.of(new Sync("ada"), new Sync("bert"), new Sync("cleo")), JobOptions.NONE.key("tenant-9")))
                .boxed()
                .toList();
        Awaitility.await().until(() -> attempted(ids, 1));
        browser.open("?retry#/errors");
        browser.awaitText("main", "answers 503");
        assertThat(browser.text("main")).contains("Tried again", "Dead", "sync", "Last 24 hours");
        browser.screenshot("errors-retrying");
        assertThat(browser.barriers()).isEmpty();

        browser.click("button[data-all=run-now]");
        browser.awaitText("dialog h2", "Run now: 3 jobs");
        browser.type("dialog input[name=why]", "partner is back").click("dialog [data-confirm]");
        browser.awaitText("dialog", "Finished after 3 jobs: 3 done");
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
        browser.awaitText("main", "No job is tried again.");
        assertThat(ids)
                .allSatisfy(
                        id -> assertThat(search.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED));
    }

    private boolean attempted(List<Long> ids, int attempts) {
        return ids.stream()
                .map(id -> search.find(id).orElseThrow())
                .allMatch(job -> job.state() == JobState.WAITING && job.attempt() == attempts);
    }

    @Test
    void chosenJobsAreCancelledAndAnActionCanBeStopped() {
        browser.open("#/jobs?state=waiting&type=report");
        browser.click("thead input[type=checkbox]");
        browser.awaitText("main", "30 jobs chosen");
        browser.click("button[data-chosen=priority]").type("dialog input[name=priority]", "7");
        browser.click("dialog [data-confirm]");
        browser.awaitText("dialog", "Finished after 30 jobs: 30 done");
        browser.screenshot("chosen");
        browser.clickText("dialog button", "Close").settled();

        browser.await("chosen", d -> {
            browser.click("tbody tr:first-child input[type=checkbox]");
            return browser.text("main").contains("1 job chosen");
        });
        browser.click("button[data-chosen=cancel]").click("dialog [data-confirm]");
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
    void aSingleJobIsRescheduledRunEditedAndDeleted() {
        long one = jobs.enqueue(new Charge(5001));
        Awaitility.await().until(() -> search.find(one).orElseThrow().state() == JobState.FAILED);

        browser.open("#/jobs/" + one).clickText("main button", "Edit…");
        browser.type("dialog textarea", "{\"orderId\": 5003}").click("dialog [data-confirm]");
        browser.awaitText("main pre", "5003");
        browser.click("button[data-chosen=discard]").click("dialog [data-confirm]");
        browser.awaitText("#said", "done");
        assertThat(search.find(one)).isEmpty();
        browser.awaitText("main", "there is none");
        browser.console(); // tells of the status 404

        long other = jobs.enqueue(new SendMail("a@b.c", null), o -> o.delay(Duration.ofDays(3)));
        browser.open("?other#/jobs/" + other).click("button[data-chosen=reschedule]");
        browser.script("document.querySelector('dialog input[name=at]').value = '2031-05-06T07:08:09'");
        browser.click("dialog [data-confirm]");
        browser.awaitText("#said", "done");
        assertThat(search.find(other).orElseThrow().dueAt()).isAfter(java.time.Instant.parse("2031-05-01T00:00:00Z"));
        browser.settled().click("button[data-chosen=run-now]").click("dialog [data-confirm]");
        browser.awaitText("h1", "completed");
        browser.awaitText("main", "Result");
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

        assertThat(audited("run recurring job"))
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

    @Test
    void nodesSayHowManySlotsTheyHaveAndWhatTheyRun() {
        browser.open("?slots#/nodes");

        assertThat(browser.text("main")).contains("node-1", "Slots used", "Slots of node-1", "What node-1 has claimed");
        assertThat(browser.text("main section:nth-of-type(1) tbody")).containsPattern("reports\\s+10\\s+1\\s+9\\s+0");
        browser.clickText("main tbody a", Long.toString(running)).settled();
        browser.awaitText("h1", "Job " + running);
        browser.clickText("main dl a", "node-1").settled();
        browser.awaitText("main", "What node-1 has claimed");
        browser.open("?left#/nodes?node=4711").awaitText("main", "It has left");
        browser.console(); // tells of the status 404
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
    void aWorkflowIsAPictureThatLivesAndIsCancelled() {
        CountDownLatch before = Handlers.held;
        Handlers.held = new CountDownLatch(1);
        long id = workflows.start(Workflow.named("order-17")
                .step("reserve", new SendMail("reserve@example.com", null))
                .step("charge", new Report("charge"), s -> s.after("reserve"))
                .step("pack", new SendMail("pack@example.com", null), s -> s.after("reserve"))
                .step("ship", new SendMail("ship@example.com", null), s -> s.after("charge", "pack"))
                .step("apologize", new SendMail("sorry@example.com", null), s -> s.afterFailure("charge", "pack")));
        browser.open("#/workflows");
        browser.clickText("main a", "order-17").settled();
        browser.await(
                "reserve, then pack",
                d -> browser.count(".graph g.completed") == 2 && browser.count(".graph g.running") == 1);
        browser.screenshot("workflow");
        assertThat(browser.barriers()).isEmpty();
        browser.click("button[aria-label='Jobs of step charge']");
        browser.awaitText("main", "Jobs of charge");
        browser.clickText(
                        "main section:last-of-type tbody a",
                        Long.toString(workflows
                                .jobs(id, "charge", Long.MIN_VALUE, 1)
                                .get(0)
                                .id()))
                .settled();
        browser.awaitText("main", "Its workflow: order-17");

        Handlers.held.countDown();
        Handlers.held = before;
        browser.open("?live#/workflows/" + id);
        browser.awaitText("h1", "succeeded");
        assertThat(browser.count(".graph g.skipped")).isOne();
    }

    @Test
    void aWorkflowIsCancelled() {
        long id = workflows.start(Workflow.named("batch-1")
                .step("later", new SendMail("a@example.com", null), s -> s.job(o -> o.delay(Duration.ofDays(1)))));
        browser.open("?cancel#/workflows/" + id).click("button[data-cancel]");
        assertThat(browser.text("dialog [data-confirm]")).isEqualTo("Cancel: 1 open job");
        browser.click("dialog [data-confirm]");
        browser.awaitText("h1", "cancelled");
        assertThat(admin.audit(null, 10)).anySatisfy(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.action()).contains("workflow");
        });
    }

    @Test
    void limitsAreSetAndRemoved() {
        browser.open("#/gates").clickText("main button", "Set a limit…");
        browser.type("dialog input[name=queue]", "imports")
                .type("dialog input[name=maxRunning]", "3")
                .type("dialog input[name=rate]", "100/min burst 20");
        browser.click("dialog [data-confirm]");
        browser.awaitText("main", "imports");
        assertThat(limits.all())
                .contains(QueueLimit.of("imports")
                        .maxRunning(3)
                        .rate(Rate.perMinute(100).burst(20)));

        browser.click("button[aria-label='Slow down imports']").click("dialog [data-confirm]");
        browser.awaitText("#said", "Nothing of it begins");
        browser.click("button[aria-label='Remove the limits of imports']").click("dialog [data-confirm]");
        browser.await("it has gone", d -> !browser.text("main").contains("imports"));
    }

    @Test
    void whoMayOnlyLookSeesNoButtonsAndNoPayload() {
        browser.cookie("level", "read_only");
        try {
            for (String page :
                    List.of("", "jobs", "errors", "schedules", "workflows", "gates", "actions", "nodes", "audit")) {
                browser.open("?reader#/" + page);
                assertThat(browser.text("main button")).as(page).isIn("", "Search");
            }
            browser.open("?reader#/jobs/" + evil);
            assertThat(browser.text("main")).contains("do not see payloads").doesNotContain("9007199254740993");
            browser.screenshot("reader");
        } finally {
            browser.cookie("level", "admin");
        }
    }

    @Test
    void aListOfJobsSaysWhenThereIsMore() {
        browser.open("?more#/jobs?queue=more");
        browser.await("an empty list", d -> browser.text("main").contains("No job matches"));

        // The page compares with the first figures that it gets, and nothing tells when those were counted.
        AtomicInteger looks = new AtomicInteger();
        browser.await("the button", d -> {
            if (looks.getAndIncrement() % 50 == 0) {
                jobs.enqueue(new Report("one more"), o -> o.queue("more").delay(Duration.ofHours(1)));
            }
            return browser.text("main .head").contains("Load what is new");
        });
        browser.click("main .head button");
        browser.await("the job", d -> browser.text("main tbody").contains("waiting"));
    }

    @Test
    void thePageOfErrorsSaysWhenThereIsMore() {
        browser.open("?more-errors#/errors?queue=more-errors");
        browser.await("no error", d -> browser.text("main").contains("No job is dead"));

        AtomicInteger looks = new AtomicInteger();
        browser.await("the button", d -> {
            if (looks.getAndIncrement() % 50 == 0) {
                jobs.enqueue(new Report("one more"), o -> o.queue("more-errors").delay(Duration.ofHours(1)));
            }
            return browser.text("main .head").contains("Load what is new");
        });
        search.find(JobFilter.where().queue("more-errors"), Page.first(100))
                .jobs()
                .forEach(job -> admin.cancel(job.id()));
    }

    @Test
    void linesOfTheAuditAreSearched() {
        admin.by("eve", "to search for").pause("searched");
        admin.by("eve", null).resume("searched");

        browser.open("#/audit").type("main input[name=who]", "eve");
        browser.type("main input[name=action]", "pause").click("main form button");

        browser.await("one line", d -> browser.count("main tbody tr") == 1);
        assertThat(browser.text("main tbody")).contains("to search for");
        browser.screenshot("audit-searched");
        browser.open("#/audit?who=eve&until=2020-01-01T00:00:00Z");
        browser.await("no line", d -> browser.text("main").contains("Nobody has done anything"));
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

    private List<AuditEntry> audited(String action) {
        return admin.audit(null, 100).stream()
                .filter(line -> line.action().equals(action))
                .toList();
    }
}
