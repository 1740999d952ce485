package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.spi.JobObserver;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An observer and the thread that tells it, one event after the other. One that cannot keep up misses events: nothing of the
 * node waits for it.
 */
final class ObserverThread implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ObserverThread.class);

    /** So many events may wait. */
    static final int ROOM = 10_000;

    /** Those that wait may hold so many characters of results, errors and headers. One event is never too large. */
    static final long ROOM_FOR_TEXT = Math.min(8L << 20, Runtime.getRuntime().maxMemory() / 32);

    private static final Event NOTHING = new Event(observer -> {}, 0);

    private record Event(Consumer<JobObserver> call, int characters) {}

    private final JobObserver observer;
    private final LineLimit lines;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(ROOM);
    private final AtomicLong characters = new AtomicLong(); // of the events that wait
    private final AtomicLong missed = new AtomicLong();
    private final EndlessTask lasting;
    private final Thread thread;
    private volatile boolean stopping;

    /** @param lines about failures of the observer */
    ObserverThread(JobObserver observer, LineLimit lines) {
        this.observer = observer;
        this.lines = lines;
        this.lasting = new EndlessTask("rowlock-observer", this);
        this.thread = lasting.thread();
    }

    void start() {
        thread.start();
    }

    /**
     * Never blocks.
     *
     * @param characters about as many as the event keeps in memory
     */
    void tell(Consumer<JobObserver> event, int characters) {
        if (!added(new Event(event, characters)) && missed.getAndIncrement() % ROOM == 0) {
            log.warn(
                    "observer {} is {} events behind and misses the next ones; it has missed {} until now",
                    observer.getClass().getName(),
                    events.size(),
                    missed.get() - 1);
        }
    }

    private boolean added(Event event) {
        long before = characters.getAndAdd(event.characters());
        boolean fits = before == 0 || before + event.characters() <= ROOM_FOR_TEXT;
        boolean added = fits && events.offer(event);
        if (!added) {
            characters.addAndGet(-event.characters());
        }
        return added;
    }

    @Override
    public void run() {
        while (!stopping || !events.isEmpty()) {
            try {
                Event event = events.take();
                characters.addAndGet(-event.characters());
                Observers.call(observer, event.call(), lines);
            } catch (InterruptedException e) {
                log.debug("an observer's thread was interrupted, and goes on: it is stopped in another way", e);
            }
        }
    }

    /** Lets the thread end when the observer has heard what is left. */
    void stop() {
        lasting.end();
        stopping = true;
        events.offer(NOTHING); // wakes it; where there is no room it is awake
    }

    void awaitStop(TimeBudget time) {
        time.join(thread);
        if (thread.isAlive()) {
            log.warn(
                    "observer {} is left behind at the stop, with {} events that it has not heard",
                    observer.getClass().getName(),
                    events.size());
            events.clear();
            thread.interrupt();
        }
    }
}
