package dev.rowlock.queue.observe;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads figures from the database each 15 s, on a thread of its own, so that no scrape has to. */
final class Refresh implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Refresh.class);

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final Runnable read;
    private final String consequence;
    private final ScheduledExecutorService timer;
    private boolean failing; // timer's thread only

    /** @param consequence for the log: what does not work while reading fails */
    Refresh(String thread, Runnable read, String consequence) {
        this.read = read;
        this.consequence = consequence;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, thread);
            daemon.setDaemon(true);
            return daemon;
        });
    }

    void start() {
        timer.scheduleWithFixedDelay(this::quietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void quietly() {
        try {
            read.run();
            failing = false;
        } catch (RuntimeException | Error e) { // of the pool or the driver: the timer would never come again
            if (!failing) {
                log.warn("{}", consequence, e);
            }
            failing = true;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
