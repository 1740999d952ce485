package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.dashboard.browser.Browser;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Limits and rates. */
@PageTest
class GatesPageTest {

    private final Fixture fixture;
    private final QueueLimits limits;
    private Browser browser;

    GatesPageTest(@Autowired Fixture fixture, @Autowired QueueLimits limits) {
        this.fixture = fixture;
        this.limits = limits;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
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
    void itsWordsAreExplained() {
        browser.open("?words#/gates").click("main .words summary");

        assertThat(browser.text("main .words"))
                .contains("Blocked key", "Burst per key", "how many jobs of a key may run", "one after the other");
    }
}
