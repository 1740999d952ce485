package dev.rowlock.queue.dashboard.page;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers;
import dev.rowlock.queue.dashboard.Handlers.Charge;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Jobs of all kinds, put there before the node starts, and the browser, whose user is the admin ann. Both stay for all tests of pages. */
class Fixture implements InitializingBean, ApplicationListener<ContextClosedEvent> {

    /** What somebody might put into a job, so that it runs in an operator's browser. */
    static final String SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>";

    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private final QueueLimits limits;
    private final Rowlock rowlock;
    private final Environment environment;
    private final JdbcClient sql;
    private @Nullable Browser browser;
    private long evil;
    private long running;

    Fixture(
            JobTemplate jobs,
            JobAdmin admin,
            JobSearch search,
            QueueLimits limits,
            Rowlock rowlock,
            Environment environment,
            JdbcClient sql) {
        this.jobs = jobs;
        this.admin = admin;
        this.search = search;
        this.limits = limits;
        this.rowlock = rowlock;
        this.environment = environment;
        this.sql = sql;
    }

    Browser browser() {
        Browser there = browser;
        if (there == null) {
            there = Browser.start(
                    "http://localhost:%s/rowlock/".formatted(environment.getProperty("local.server.port")));
            there.cookie("level", "admin").hurried();
            browser = there;
            awaitThatAllHaveRun();
        }
        return there;
    }

    /** Before the node starts, which counts jobs then, and fifteen seconds later. */
    @Override
    public void afterPropertiesSet() {
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
        rowlock.workflows()
                .start(Workflow.named("signup")
                        .step("greet", new SendMail("greet@example.com", null))
                        .step("remind", new SendMail("remind@example.com", null), s -> s.after("greet")));
        limits.set(QueueLimit.of("mail").maxRunning(5).ratePerKey(Rate.perMinute(600)));
        limits.set(QueueLimit.of("payments").inOrder(AfterFailure.HOLD));
        admin.by("bob", "provider is down").pause("newsletter");
    }

    private void awaitThatAllHaveRun() {
        Awaitility.await()
                .until(() -> dead() == 76
                        && search.find(running).orElseThrow().progress() != null
                        && !search.depths().isEmpty());
    }

    /** As a node counts jobs each fifteen seconds: one job of this queue waits. */
    void countOneWaiting(String queue) {
        sql.sql("""
                        INSERT INTO rowlock.depth (queue, room, jobs, measured_at) VALUES (?, 'waiting', 1, now())
                        ON CONFLICT (queue, room) DO UPDATE SET jobs = 1
                        """).param(queue).update();
    }

    void requireQuietConsole() {
        if (browser != null) {
            browser.requireQuietConsole();
        }
    }

    /** A dead job that carries what might hurt. */
    long evil() {
        return evil;
    }

    /** A job that runs until {@link Handlers#held} is counted down. */
    long running() {
        return running;
    }

    long dead() {
        return search.count(JobFilter.where().states(JobState.DEAD), 1_000).jobs();
    }

    List<AuditEntry> audited(String action) {
        return admin.audit(null, 100).stream()
                .filter(line -> line.action().equals(action))
                .toList();
    }

    /** Before nodes stop, which wait for running jobs. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        Handlers.held.countDown();
        if (browser != null) {
            browser.close();
        }
    }
}
