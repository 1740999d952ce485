package dev.rowlock.queue.dashboard.live;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Reads the figures once a round while there are viewers, and sends them to all. */
public final class LiveFeed implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LiveFeed.class);

    /** Between two rounds, in applications. */
    public static final Duration ROUND = Duration.ofSeconds(1);

    /** The browser comes again by itself, and is asked who it is: so rights that were taken end an open stream. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** Rounds between two touches of every stream. */
    private static final int TOUCH_EACH = 5;

    private static final int MAX_VIEWERS = 1_000;

    /** So that nobody takes the streams of all others. */
    private static final int MAX_OF_A_USER = 200;

    private final Rounds rounds;
    private final Duration round;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private @Nullable ScheduledExecutorService timer; // guarded by this; null while nobody looks
    private boolean closed = true; // guarded by this
    private boolean failing; // timer's thread only
    private int number; // timer's thread only

    public LiveFeed(Rounds rounds, Duration round) {
        this.rounds = rounds;
        this.round = round;
    }

    /** Turns the request of this user into a stream. Its parameters {@code job} and {@code workflow} name what to follow. */
    public void join(String user, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (viewers.size() >= MAX_VIEWERS
                || viewers.stream().filter(viewer -> viewer.user().equals(user)).count() >= MAX_OF_A_USER) {
            response.setStatus(503);
            return;
        }
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("UTF-8");
        response.setHeader("X-Accel-Buffering", "no"); // nginx would keep events back
        AsyncContext context = request.startAsync();
        context.setTimeout(LONGEST.plus(LONGEST).toMillis());
        Viewer viewer = new Viewer(
                user,
                context,
                response.getOutputStream(),
                id(request.getParameter("job")),
                id(request.getParameter("workflow")));
        context.addListener(new Leaving(viewer));
        response.getOutputStream().setWriteListener(viewer);
        enter(viewer);
    }

    private static @Nullable Long id(@Nullable String id) {
        return id != null && id.matches("[1-9][0-9]{0,17}") ? Long.valueOf(id) : null;
    }

    private synchronized void enter(Viewer viewer) {
        if (closed) {
            viewer.end();
            return;
        }
        viewers.add(viewer);
        if (timer == null) {
            timer = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread daemon = new Thread(null, task, "rowlock-dashboard-live", 0, false);
                daemon.setDaemon(true);
                return daemon;
            });
            timer.scheduleWithFixedDelay(this::round, 0, round.toMillis(), TimeUnit.MILLISECONDS);
        }
        // On the feed's own thread: between two rounds, so that the viewer misses nothing that only comes when it
        // changes.
        timer.execute(() -> rounds.greet(viewer));
    }

    private void leave(Viewer viewer) {
        viewer.end();
        viewers.remove(viewer);
    }

    /** Whatever it throws, code of the application perhaps: the timer would never come again, and say nothing. */
    private void round() {
        try {
            tellViewers();
            failing = false;
        } catch (RuntimeException | Error e) {
            if (!failing) {
                log.warn("reading the live figures of the dashboard failed; will retry", e);
            }
            failing = true;
            viewers.forEach(viewer -> viewer.send("trouble", "\"the database does not answer\""));
        }
    }

    private void tellViewers() {
        if (++number % TOUCH_EACH == 0) {
            viewers.forEach(Viewer::touch);
        }
        for (Viewer viewer : viewers) {
            if (viewer.gone()) {
                viewers.remove(viewer);
            } else if (viewer.ageNanos() > LONGEST.toNanos()) {
                leave(viewer);
            }
        }
        if (!rest()) {
            rounds.run(viewers.stream().filter(Viewer::greeted).toList());
        }
    }

    /** Ends the thread when nobody looks. Whoever comes next starts another one. */
    private synchronized boolean rest() {
        if (!viewers.isEmpty()) {
            return false;
        }
        if (timer != null) {
            timer.shutdown();
            timer = null;
        }
        rounds.forget();
        return true;
    }

    /** How many look now. */
    public int viewers() {
        return viewers.size();
    }

    /** Whether it has no thread, as it should while nobody looks. */
    synchronized boolean rests() {
        return timer == null;
    }

    @Override
    public synchronized void start() {
        closed = false;
    }

    /** Before the web server begins to wait for requests that have not ended: a stream would hold it up. */
    @Override
    public void stop() {
        synchronized (this) {
            closed = true;
            if (timer != null) {
                timer.shutdownNow();
                timer = null;
            }
        }
        viewers.forEach(this::leave);
    }

    @Override
    public synchronized boolean isRunning() {
        return !closed;
    }

    /** The container says that the stream is over: the browser has gone, or the connection is broken. */
    private final class Leaving implements AsyncListener {

        private final Viewer viewer;

        Leaving(Viewer viewer) {
            this.viewer = viewer;
        }

        @Override
        public void onComplete(AsyncEvent event) {
            viewer.ended();
            viewers.remove(viewer);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            leave(viewer);
        }

        @Override
        public void onError(AsyncEvent event) {
            leave(viewer);
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
