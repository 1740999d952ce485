package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.schedule.Recurring;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** What the jobs of these tests do. */
public class Handlers {

    @JobType(value = "send-mail", queue = "mail")
    public record SendMail(String to, @Nullable String subject) {}

    @JobType(value = "charge", queue = "payments")
    public record Charge(long orderId) {}

    @JobType(value = "report", queue = "reports", title = "{name} report")
    public record Report(String name) {}

    @JobType(value = "sync", queue = "partners")
    public record Sync(String partner) {}

    @JobType(value = "clean-up", queue = "reports")
    public record CleanUp() {}

    /** Holds running reports, so that somebody can look at them. */
    public static volatile CountDownLatch held = new CountDownLatch(0);

    /** Whether charges fail. */
    public static volatile boolean declining = true;

    @JobListener(keepResult = true)
    Map<String, String> send(SendMail mail) {
        return Map.of("sent", mail.to());
    }

    @JobListener
    void charge(Charge charge) {
        if (declining) {
            throw charge.orderId() % 2 == 0
                    ? new DoNotRetryException("order " + charge.orderId() + ": card declined")
                    : new DoNotRetryException("gateway is away", new IllegalStateException("503"));
        }
    }

    @JobListener(initialInterval = "3h")
    void sync(Sync sync) {
        throw new IllegalStateException("partner '" + sync.partner() + "' answers 503");
    }

    @JobListener
    void report(Report report, JobContext job) throws InterruptedException {
        job.progress(40, "page 4 of 10");
        job.log("reading {} <b>pages</b>", 10);
        held.await();
    }

    @Recurring(name = "nightly", cron = "0 0 3 * * *")
    @JobListener
    void cleanUp(CleanUp cleanUp) {}
}
