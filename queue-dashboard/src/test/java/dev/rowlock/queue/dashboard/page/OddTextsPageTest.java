package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.test.browser.Browser;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Texts of people and of jobs that are no harm, but not what one expects. */
@PageTest
class OddTextsPageTest {

    private final Fixture fixture;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JdbcClient sql;
    private Browser browser;

    OddTextsPageTest(
            @Autowired Fixture fixture,
            @Autowired JobTemplate jobs,
            @Autowired JobAdmin admin,
            @Autowired JdbcClient sql) {
        this.fixture = fixture;
        this.jobs = jobs;
        this.admin = admin;
        this.sql = sql;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void aReasonThatLooksLikeAnImpossibleTimeBreaksNoPage() {
        String why = "back at 2026-13-45 25:61:61+00, not before";
        admin.by("bob", why).pause("odd-times");
        long job = jobs.enqueue(new Report("waits"), o -> o.queue("odd-times"));

        browser.open("?odd-reason#/jobs/" + job);

        browser.awaitText("main li[data-kind=PAUSED]", why);
        admin.resume("odd-times");
        admin.cancel(job);
    }

    @Test
    void anImpossibleTimeInTheAddressIsNamed() {
        for (String page : new String[] {"jobs?endedFrom=yesterday", "audit?from=yesterday"}) {
            browser.open("?odd-address#/" + page);

            browser.awaitText("main [role=alert]", "is 'yesterday': write a time as");
        }
        browser.console(); // tells of the status 400
    }

    @Test
    void ofALargePayloadTheBeginningIsShownAndAllOnDemand() {
        long deep = job("repeat('[', 6000) || repeat(']', 6000)");
        browser.open("?deep#/jobs/" + deep);
        browser.awaitText("main", "These are the first");
        assertThat(characters()).isLessThan(50_001);
        browser.clickText("main button", "Edit…");
        assertThat((Long) browser.script("return document.querySelector('dialog textarea').value.length"))
                .isLessThan(1_000_000);
        browser.escape();

        browser.script(
                "[...document.querySelectorAll('main button')].find(b => b.innerText.startsWith('Show all')).click()");

        browser.await("all of it", d -> all('[') == 6_000 && all(']') == 6_000);
        assertThat(browser.text("main")).doesNotContain("These are the first");

        long wide = job("(SELECT json_agg(i)::text FROM generate_series(1, 120000) AS i)");
        browser.open("?wide#/jobs/" + wide);
        browser.awaitText("main", "These are the first");
        assertThat(characters()).isLessThan(50_001);
        browser.screenshot("odd-large");
        assertThat(browser.barriers()).isEmpty();
        admin.cancel(deep);
        admin.cancel(wide);
    }

    /** As somebody put it there who may write to the tables: the functions refuse so deep a nesting. */
    private long job(String payload) {
        long id = jobs.enqueue(new Report("large"), o -> o.delay(Duration.ofHours(1)));
        sql.sql("UPDATE rowlock.waiting SET payload = (%s)::json WHERE id = ?".formatted(payload))
                .param(id)
                .update();
        return id;
    }

    private long characters() {
        return (Long) browser.script("return document.querySelector('main pre').textContent.length");
    }

    private long all(char letter) {
        return (Long) browser.script(
                "return document.querySelector('main pre').textContent.split(arguments[0]).length - 1",
                String.valueOf(letter));
    }

    @Test
    void charactersThatTurnTheTextAroundThemAreSeen() {
        long turned = jobs.enqueue(
                new Report("tu\u202ened"), o -> o.key("invoice-\u202etxt.exe").delay(Duration.ofHours(1)));
        long hebrew = jobs.enqueue(
                new Report("x"), o -> o.key("חשבון 12").unique("מפתח 7").delay(Duration.ofHours(1)));

        browser.open("?odd-keys#/jobs?state=waiting&queue=reports");
        browser.awaitText("main tbody", "invoice-\\u202etxt.exe");
        browser.screenshot("odd-keys");
        browser.open("?odd-key#/jobs/" + turned);
        browser.awaitText("main", "invoice-\\u202etxt.exe");
        assertThat(browser.text("main pre")).contains("tu\\u202ened");
        assertThat(browser.text("body")).doesNotContain("\u202e");

        browser.open("?hebrew#/jobs/" + hebrew);
        browser.awaitText("main", "חשבון 12");
        browser.screenshot("odd-key");
        assertThat(browser.text("main dd bdi").lines()).contains("חשבון 12", "מפתח 7");
        admin.cancel(turned);
        admin.cancel(hebrew);
    }
}
