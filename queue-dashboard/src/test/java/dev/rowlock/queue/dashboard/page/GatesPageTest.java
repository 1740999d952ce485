package dev.rowlock.queue.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.browser.Browser;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Limits and rates. */
@PageTest
class GatesPageTest {

    private final Fixture fixture;
    private final QueueLimits limits;
    private final JobAdmin admin;
    private final JobSearch search;
    private final JdbcClient sql;
    private Browser browser;

    GatesPageTest(
            @Autowired Fixture fixture,
            @Autowired QueueLimits limits,
            @Autowired JobAdmin admin,
            @Autowired JobSearch search,
            @Autowired DataSource dataSource) {
        this.fixture = fixture;
        this.limits = limits;
        this.admin = admin;
        this.search = search;
        this.sql = JdbcClient.create(dataSource);
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
    void theFailedJobsOfABlockedKeyAreSkippedAndAJobThatIsTriedAgainIsCancelled() {
        limits.set(QueueLimit.of("ledger").inOrder(AfterFailure.HOLD));
        long failed = dead("account-7");
        long waiting = sql.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, reason, queue, job_key, type, payload)
                VALUES (nextval('rowlock.job_id'), now() + interval '1 h', now(), 0, 1, 0, 'retry', 'ledger', 'account-8', 'book', '{}') RETURNING id
                """).query(Long.class).single();
        String skip = "button[aria-label='Skip job %d of key account-7']".formatted(failed);
        String cancel = "button[aria-label='Cancel job %d of key account-8']".formatted(waiting);

        browser.open("?skip#/gates?queue=ledger").one(skip);
        assertThat(browser.barriers()).isEmpty();
        browser.click(skip);
        browser.awaitText("dialog", "They stay dead, with payload and errors");
        assertThat(browser.barriers()).isEmpty();
        browser.screenshot("gates-skip");
        browser.type("dialog input[name=why]", "known error").click("dialog [data-confirm]");
        browser.awaitText("#said", "account-7 goes on without 1 job.");
        browser.await("the key is not blocked", d -> browser.count(skip) == 0);
        browser.click(cancel).click("dialog [data-confirm]");
        browser.await("the other key is not blocked either", d -> browser.count(cancel) == 0);
        browser.awaitText("main", "No key is blocked.");

        assertThat(search.find(failed).orElseThrow().state()).isEqualTo(JobState.DEAD);
        assertThat(fixture.audited("skip")).singleElement().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("known error");
        });
        admin.discard(failed);
        limits.remove("ledger");
    }

    @Test
    void whoMayOnlyLookHasNoButtonAtABlockedKey() {
        limits.set(QueueLimit.of("ledger").inOrder(AfterFailure.HOLD));
        long failed = dead("account-9");

        browser.cookie("level", "read_only").open("?looks#/gates?queue=ledger");
        String text = browser.text("main");
        int buttons = browser.count("main button");
        browser.cookie("level", "operator").open("?acts#/gates?queue=ledger");
        int ofOperator = browser.count("main button[aria-label^='Skip job']");
        browser.cookie("level", "admin");

        assertThat(text).contains("account-9");
        assertThat(buttons).isZero();
        assertThat(ofOperator).isEqualTo(1);
        admin.discard(failed);
        limits.remove("ledger");
    }

    @Test
    void itsWordsAreExplained() {
        browser.open("?words#/gates").click("main .words summary");

        assertThat(browser.text("main .words"))
                .contains(
                        "Blocked key",
                        "Skip",
                        "Burst per key",
                        "how many jobs of a key may run",
                        "one after the other");
    }

    private long dead(String key) {
        return sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                VALUES (nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', 'ledger', ?, 'book', '{}') RETURNING id
                """).param(key).query(Long.class).single();
    }
}
