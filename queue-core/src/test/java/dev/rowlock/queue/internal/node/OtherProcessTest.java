package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.JobState;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node hears of what a process without a worker does, long before its own next poll. */
class OtherProcessTest extends NodeTest {

    private static final Duration SELDOM = Duration.ofMinutes(10);

    private Notifier notifier;
    private WakeupBus wakeups;

    @BeforeEach
    void begin() {
        notifier = new Notifier(new SendWakeup(node.database));
        wakeups = new WakeupBus(notifier);
        node.lease(SELDOM.multipliedBy(3), SELDOM, 3);
        node.pollInterval(SELDOM);
    }

    @AfterEach
    void end() {
        notifier.close();
    }

    @Test
    void delayedJobsOfAnotherProcessStartWhenTheyAreDue() {
        JobTemplate jobs = FrontDoors.jobs(node.database, TestNode.codec(), wakeups);
        node.listener(Greet.class, (context, payload) -> null);
        startAndHear();

        long id = jobs.enqueue(new Greet("later"), o -> o.delay(Duration.ofMillis(300)));

        node.awaitState(id, JobState.COMPLETED);
    }

    @Test
    void cancelsOfAnotherProcessReachRunningHandlersAtOnce() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
            running.countDown();
            new CountDownLatch(1).await();
            return null;
        });
        startAndHear();
        long id = node.jobs.enqueue(new Greet("long"));
        running.await();

        FrontDoors.admin(node.database, wakeups).cancel(id);

        node.awaitState(id, JobState.CANCELLED);
    }

    private void startAndHear() {
        node.start();
        Awaitility.await().until(() -> node.status().hears() && node.status().nodeId() > 0);
    }
}
