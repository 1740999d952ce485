package dev.rowlock.queue.chaos.worker;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes down, several times a second, that the process is alive, and once a second which of Rowlock's own threads is no
 * longer. Says nothing any more once the node is being stopped.
 */
final class Watchdog {

    private static final Duration INTERVAL = Duration.ofMillis(250);

    /** All threads are there after so many looks. */
    private static final int SETTLED = 12;

    private static final String PREFIX = "rowlock-";

    /** An executor that replaces a thread gives the next one the next number. */
    private static final Pattern NUMBER = Pattern.compile("-\\d+$");

    private final ActionLog log;
    private final Set<String> passing;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Set<String> own = new TreeSet<>(); // the watchdog's thread only, as all below
    private Set<String> missing = Set.of();
    private final Set<String> told = new TreeSet<>();

    /** @param queues the threads that claim and run their jobs, and that ask their policies, come and go */
    Watchdog(ActionLog log, Set<String> queues) {
        this.log = log;
        this.passing = Stream.concat(
                        queues.stream().flatMap(queue -> Stream.of(queue, "fetcher-" + queue, "policy-call-" + queue)),
                        Stream.of("notifier", "stop"))
                .map(name -> PREFIX + name)
                .collect(Collectors.toSet());
    }

    void start() {
        Thread thread = new Thread(this::run, "watchdog");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
    }

    /** From now on threads may end. */
    void stop() {
        stopped.countDown();
    }

    private void run() {
        try {
            for (int look = 1; !stopped.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS); look++) {
                look(look);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(int number) {
        try {
            log.pulse();
            if (number == SETTLED) {
                own.addAll(alive());
            } else if (number > SETTLED && number % 4 == 0) {
                check();
            }
        } catch (OutOfMemoryError e) {
            // It is memory's turn to be missing; the gap between two pulses tells.
        }
    }

    /** Twice in a row: one that is being replaced is not gone. */
    private void check() {
        Set<String> gone = new TreeSet<>(own);
        gone.removeAll(alive());
        for (String thread : gone) {
            if (missing.contains(thread) && stopped.getCount() > 0 && told.add(thread)) {
                log.gone(thread);
            }
        }
        missing = gone;
    }

    private Set<String> alive() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        Thread[] threads = new Thread[2 * all.activeCount() + 16];
        int count = all.enumerate(threads);
        return Stream.of(threads)
                .limit(count)
                .map(thread -> NUMBER.matcher(thread.getName()).replaceFirst(""))
                .filter(name -> name.startsWith(PREFIX) && !passing.contains(name))
                .collect(Collectors.toSet());
    }
}
