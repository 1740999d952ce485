package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.test.browser.Browser;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.beans.factory.annotation.Autowired;

/** All that is paused. */
@PageTest
class PausesPageTest {

    private static final List<String> TYPES = List.of("pay-a", "pay-b", "pay-c", "pay-d", "pay-e");

    private final Fixture fixture;
    private final JobAdmin admin;
    private Browser browser;

    PausesPageTest(@Autowired Fixture fixture, @Autowired JobAdmin admin) {
        this.fixture = fixture;
        this.admin = admin;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
        TYPES.forEach(type -> admin.by("bob", "incident " + type).pauseType(type));
    }

    @AfterEach
    void resume() {
        TYPES.forEach(admin::resumeType);
    }

    /** Three stand above each page. */
    @Test
    void thoseBeyondTheThirdAreSeenAndResumedToo() {
        browser.open("?pauses#/jobs");
        browser.await("the way to all pauses", d -> browser.count("#pauses a") == 1);
        browser.click("#pauses a").settled();

        for (String type : TYPES) {
            browser.awaitText("main tbody", "incident " + type);
        }
        assertThat(browser.text("main tbody")).contains("Queue newsletter", "provider is down", "bob");
        browser.screenshot("pauses");
        assertThat(browser.barriers()).isEmpty();
        browser.click("main button[aria-label='Resume Type pay-e']").type("dialog input[name=why]", "incident is over");
        browser.click("dialog [data-confirm]");
        browser.await("it has gone", d -> !browser.text("main tbody").contains("pay-e"));

        assertThat(fixture.audited("resume")).first().satisfies(line -> {
            assertThat(line.subject()).isEqualTo("type pay-e");
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("incident is over");
        });
    }

    @Test
    void theyAreFoundByName() {
        // Banners that come in this moment would move a button away from the click.
        browser.open("?find#/pauses").type("main input[name=find]", "Type pay-b", Keys.ENTER);

        browser.awaitText("main tbody", "incident pay-b");
        browser.await("one line", d -> browser.count("main tbody tr") == 1);
    }

    @Test
    void whoOnlyLooksSeesThemWithoutAButton() {
        browser.cookie("level", "read_only");
        try {
            browser.open("?reader-of-pauses#/pauses");
            browser.awaitText("main tbody", "incident pay-e");

            assertThat(browser.count("main tbody button, main .head button")).isZero();
        } finally {
            browser.cookie("level", "admin");
        }
    }
}
