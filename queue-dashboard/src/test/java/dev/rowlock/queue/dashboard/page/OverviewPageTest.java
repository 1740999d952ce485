package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.test.browser.Browser;
import java.util.Arrays;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The overview: its figures, and what is paused there. */
@PageTest
class OverviewPageTest {

    private final Fixture fixture;
    private final JobAdmin admin;
    private final JobTemplate jobs;
    private final JdbcClient jdbc;
    private Browser browser;

    OverviewPageTest(
            @Autowired Fixture fixture,
            @Autowired JobAdmin admin,
            @Autowired JobTemplate jobs,
            @Autowired DataSource dataSource) {
        this.fixture = fixture;
        this.admin = admin;
        this.jobs = jobs;
        this.jdbc = JdbcClient.create(dataSource);
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
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

        assertThat(fixture.audited("pause")).first().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("ticket 7");
            assertThat(line.subject()).isEqualTo("queue payments");
        });
    }

    @Test
    void theVerdictNamesAQueueThatIsLateAndWhatHelps() {
        browser.open("");
        browser.awaitText("section[aria-label=Verdict]", "Healthy: no job that may run has waited for long.");
        long job = jobs.enqueue(new SendMail("ada@example.com", "News"), o -> o.queue("newsletter"));
        jdbc.sql("UPDATE rowlock.ready SET ready_at = ready_at - interval '1 hour' WHERE id = ?")
                .param(job)
                .update();
        jdbc.sql("""
                        INSERT INTO rowlock.depth (queue, room, jobs, oldest_at, measured_at) VALUES ('newsletter', 'ready', 1, now() - interval '1 hour', now())
                        ON CONFLICT (queue, room) DO UPDATE SET jobs = 1, oldest_at = excluded.oldest_at
                        """).update();

        browser.awaitText(
                "section[aria-label=Verdict]",
                "Late: Jobs of queue 'newsletter' have waited for 1 h: it has been paused");
        assertThat(browser.text("section[aria-label=Verdict]")).contains("by bob (provider is down).", "Resume it");
        assertThat(browser.barriers()).isEmpty();
        browser.screenshot("late");
        browser.clickText("section[aria-label=Verdict] a", "Its ready jobs").settled();
        browser.awaitText("main", Long.toString(job));
        admin.cancel(job);
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
        browser.await("one is resumed", d -> !browser.text("#pauses").contains("Everything paused"));
        admin.resumeType("charge");
        admin.by("bob", null).pauseType("refund");
        browser.awaitText("#pauses", "Type refund paused");
        admin.resumeType("refund");
        browser.await(
                "the banner has gone by itself", d -> !browser.text("#pauses").contains("Type refund paused"));
    }

    @Test
    void figuresSayOfWhichMomentTheyAre() {
        browser.open("?moments#/");
        browser.awaitText("main section[aria-label='Last hour']", "as of ");

        assertThat(browser.text("main section[aria-label=Now]"))
                .contains("counted every 15 seconds", "Ready", "Dead")
                .doesNotContain("Died");
        assertThat(browser.text("main section[aria-label='Last hour']"))
                .contains("Completed", "Failed attempts", "Died, and still dead");
        assertThat(browser.count("main section[aria-label='Last hour'] time")).isOne();
    }

    @Test
    void agesGoOnWhileThePageStands() {
        browser.open("?ages#/");
        browser.awaitText("main", "Examined ");
        String age = browser.text("main [data-at]");

        browser.await("another age", d -> !browser.text("main [data-at]").equals(age));
    }

    @Test
    void theDoctorBeginsWithAVerdict() {
        browser.open("?verdict#/doctor");

        browser.awaitText("main", " checks: ");
    }

    @Test
    void theChartHasALineForAttemptsThatFailed() {
        browser.open("?chart#/");
        browser.await("lines", d -> browser.count(".chart polyline.completed") == 1);

        String points = browser.one(".chart polyline.failed").getDomAttribute("points");
        assertThat(Arrays.stream(Objects.requireNonNull(points).split(" ")).map(point -> point.split(",")[1]))
                .hasSize(60)
                .anySatisfy(y -> assertThat(Double.parseDouble(y)).isLessThan(100));
        assertThat(browser.one(".chart").getDomAttribute("aria-label")).contains("attempts failed");
        assertThat(browser.count(".chart rect")).isEqualTo(60);
        assertThat(browser.one(".chart svg").getDomProperty("textContent"))
                .containsPattern(
                        "\\d\\d:\\d\\d: jobs completed [\\d,]+, jobs cancelled [\\d,]+, attempts failed [\\d,]+");
        assertThat(browser.text(".chart .y").lines()).startsWith("0").hasSizeGreaterThan(1);
    }
}
