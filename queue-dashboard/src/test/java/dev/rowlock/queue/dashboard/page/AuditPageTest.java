package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.test.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Who did what, and bulk actions. */
@PageTest
class AuditPageTest {

    private final Fixture fixture;
    private final JobAdmin admin;
    private Browser browser;

    AuditPageTest(@Autowired Fixture fixture, @Autowired JobAdmin admin) {
        this.fixture = fixture;
        this.admin = admin;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
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
        browser.await("no line", d -> browser.text("main").contains("No line matches"));
    }
}
