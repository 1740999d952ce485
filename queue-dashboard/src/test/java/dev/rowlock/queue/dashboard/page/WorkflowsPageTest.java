package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Workflows: a list, a picture that lives, and an end. */
@PageTest
class WorkflowsPageTest {

    private final Fixture fixture;
    private final JobAdmin admin;
    private final Workflows workflows;
    private Browser browser;

    WorkflowsPageTest(@Autowired Fixture fixture, @Autowired JobAdmin admin, @Autowired Rowlock rowlock) {
        this.fixture = fixture;
        this.admin = admin;
        this.workflows = rowlock.workflows();
    }

    @BeforeEach
    void open() {
        browser = fixture.browser();
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
        browser.awaitText("h1", "completed");
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
}
