package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the application's observers what happens. Nothing that one of them does may touch a job, a thread of ours, or
 * another observer: each has a thread of its own, except those that ask to be called at once.
 */
public final class Observers implements JobObserver {

    private static final Logger log = LoggerFactory.getLogger(Observers.class);

    /** An observer that fails at each event writes a line with a trace, so many times a minute. */
    private static final int MOST_LINES = 10;

    /** So many events may wait for one observer. */
    static final int ROOM = 10_000;

    /** Those that wait may hold so many characters of results, errors and headers. One event is never too large. */
    static final long ROOM_FOR_TEXT = Math.min(8L << 20, Runtime.getRuntime().maxMemory() / 32);

    private final LineLimit lines = new LineLimit(MOST_LINES, Duration.ofMinutes(1));
    private final List<RecordedOutcomes> own;
    private final List<JobObserver> immediate;
    private final List<ObserverThread> apart;

    public Observers(List<JobObserver> observers) {
        this.own = observers.stream()
                .filter(RecordedOutcomes.class::isInstance)
                .map(RecordedOutcomes.class::cast)
                .toList();
        List<JobObserver> applications = observers.stream()
                .filter(observer -> !(observer instanceof RecordedOutcomes))
                .toList();
        this.immediate = applications.stream().filter(JobObserver::immediate).toList();
        this.apart = applications.stream()
                .filter(observer -> !observer.immediate())
                .map(observer -> new ObserverThread(observer))
                .toList();
    }

    public void start() {
        apart.forEach(ObserverThread::start);
    }

    /** Lets observers hear what they have not heard yet, as long as there is time left. */
    public void stop(TimeBudget time) {
        apart.forEach(ObserverThread::stop);
        apart.forEach(observer -> observer.awaitStop(time));
    }

    @Override
    public void listening(ListenerDefinition listener) {
        tell(observer -> observer.listening(listener));
        tellApart(observer -> observer.listening(listener), 0);
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        if (!immediate.isEmpty()) {
            tell(observer -> observer.started(job, waited));
        }
        if (!apart.isEmpty()) {
            ClaimedJob light = job.withoutPayload();
            tellApart(observer -> observer.started(light, waited), characters(light));
        }
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        tellOwn(job, outcome);
        if (!immediate.isEmpty()) {
            tell(observer -> observer.finished(job, outcome, took));
        }
        if (!apart.isEmpty()) {
            ClaimedJob light = job.withoutPayload();
            tellApart(observer -> observer.finished(light, outcome, took), characters(light) + characters(outcome));
        }
    }

    @Override
    public void lost(ClaimedJob job) {
        tell(observer -> observer.lost(job));
        if (!apart.isEmpty()) {
            ClaimedJob light = job.withoutPayload();
            tellApart(observer -> observer.lost(light), characters(light));
        }
    }

    @Override
    public void rescued(int jobs, int quarantined) {
        tell(observer -> observer.rescued(jobs, quarantined));
        tellApart(observer -> observer.rescued(jobs, quarantined), 0);
    }

    private void tellOwn(ClaimedJob job, Outcome outcome) {
        try {
            own.forEach(observer -> observer.recorded(job, outcome));
        } catch (RuntimeException | Error e) { // memory, perhaps: whoever waits for the job finds out by asking
            EndlessTask.tell(() -> log.warn("not everybody heard of the outcome of {}", job, e));
        }
    }

    private void tell(Consumer<JobObserver> event) {
        immediate.forEach(observer -> call(observer, event));
    }

    private void tellApart(Consumer<JobObserver> event, int characters) {
        apart.forEach(observer -> observer.tell(event, characters));
    }

    private static int characters(ClaimedJob withoutPayload) {
        return withoutPayload.headers() == null ? 0 : withoutPayload.headers().length();
    }

    /** An exception with its frames takes about as much as its trace at its longest. */
    private static int characters(Outcome outcome) {
        return told(outcome) + (outcome.thrown() == null ? 0 : 6_000);
    }

    private static int told(Outcome outcome) {
        if (outcome instanceof Outcome.Completed completed) {
            return completed.resultJson() == null ? 0 : completed.resultJson().length();
        }
        if (outcome instanceof Outcome.Retry retry) {
            return characters(retry.error());
        }
        return outcome instanceof Outcome.Failed failed ? characters(failed.error()) : 0;
    }

    private static int characters(JobError error) {
        return error.message().length() + error.trace().length();
    }

    /** On the calling thread. Never throws. */
    private void call(JobObserver observer, Consumer<JobObserver> event) {
        ThreadState own = ThreadState.save();
        try {
            event.accept(observer);
        } catch (Throwable e) { // user code
            EndlessTask.tell(() -> {
                long before = lines.admitted(System.nanoTime());
                if (before >= 0) {
                    log.warn(
                            "an observer ({}) failed{}; the job is not affected",
                            observer.getClass().getName(),
                            before == 0 ? "" : ", after " + CountText.of(before, "failure") + " that were not logged",
                            e);
                }
            });
        } finally {
            own.restore("an observer");
        }
    }

    /**
     * An observer and the thread that tells it, one event after the other. One that cannot keep up misses events: nothing of the
     * node waits for it.
     */
    private final class ObserverThread implements Runnable {

        private static final Event NOTHING = new Event(observer -> {}, 0);

        private record Event(Consumer<JobObserver> call, int characters) {}

        private final JobObserver observer;
        private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(ROOM);
        private final AtomicLong characters = new AtomicLong(); // of the events that wait
        private final AtomicLong missed = new AtomicLong();
        private final EndlessTask lasting;
        private final Thread thread;
        private volatile boolean stopping;

        ObserverThread(JobObserver observer) {
            this.observer = observer;
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
                    call(observer, event.call());
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

    /**
     * An observer of Rowlock's own, that hears of outcomes only: after their commit, one call for each, on the recorder's thread. It is
     * trusted: it waits for nothing and leaves nothing on the thread, so that plain jobs pay next to nothing for it.
     */
    public interface RecordedOutcomes extends JobObserver {

        /** An outcome has been recorded. */
        void recorded(ClaimedJob job, Outcome outcome);
    }
}
