package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.test.browser.Browser;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Nodes, their slots and their jobs. */
@PageTest
class NodesPageTest {

    private final Fixture fixture;
    private final JobTemplate jobs;
    private Browser browser;

    NodesPageTest(@Autowired Fixture fixture, @Autowired JobTemplate jobs) {
        this.fixture = fixture;
        this.jobs = jobs;
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
    }

    @Test
    void nodesSayHowManySlotsTheyHaveAndWhatTheyRun() {
        browser.open("?slots#/nodes");

        assertThat(browser.text("main")).contains("node-1", "Slots used", "Slots of node-1", "What node-1 has claimed");
        assertThat(browser.text("main section:nth-of-type(1) tbody")).containsPattern("reports\\s+10\\s+1\\s+9\\s+0");
        browser.clickText("main tbody a", Long.toString(fixture.running())).settled();
        browser.awaitText("h1", "Job " + fixture.running());
        browser.clickText("main dl a", "node-1").settled();
        browser.awaitText("main", "What node-1 has claimed");
        browser.open("?left#/nodes?node=4711").awaitText("main", "It has left");
        browser.console(); // tells of the status 404
    }

    @Test
    void slotsAndJobsComeByThemselvesAndSayWhoHasASlot() {
        CountDownLatch before = Handlers.held;
        Handlers.held = new CountDownLatch(1);
        browser.open("?slots-live#/nodes");
        browser.await("one report", d -> slots("reports").equals("10 1 9 0"));

        String second = Long.toString(jobs.enqueue(new Report("second")));
        browser.await("two reports", d -> slots("reports").equals("10 2 8 0"));
        browser.awaitText("main section:last-of-type tbody", second);
        assertThat(browser.text("main section:last-of-type tbody")).contains("has one");

        Handlers.held.countDown();
        Handlers.held = before;
        browser.await("one report again", d -> slots("reports").equals("10 1 9 0"));
    }

    /** Slots, those used, those free, and what is claimed ahead. */
    private String slots(String queue) {
        return browser.text("main section[aria-label='Slots of node-1'] tbody")
                .lines()
                .filter(line -> line.startsWith(queue))
                .map(line -> line.split("\\s+"))
                .map(cells -> String.join(" ", List.of(cells).subList(1, 5)))
                .findAny()
                .orElse("");
    }
}
