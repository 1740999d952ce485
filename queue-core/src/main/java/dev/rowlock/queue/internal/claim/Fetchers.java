package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.spi.ClaimCounts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * All fetchers of a node. Polls for those that have no thread of their own, in one statement: see the package's page.
 */
public final class Fetchers {

    private static final Logger log = LoggerFactory.getLogger(Fetchers.class);

    private final Map<String, Fetcher> byQueue = new TreeMap<>(); // written by the constructor only
    private final FindReadyQueues statement;
    private final NodeView node;
    private final Duration pollInterval;
    private final Signal look = new Signal();
    private final EndlessTask polling = new EndlessTask("rowlock-poll", this::run);
    private final Thread thread = polling.thread();
    private final Failing polls = new Failing();

    private int emptyPolls; // polling thread only, as below
    private long seenNode; // lease's thread only
    private volatile boolean stopping;

    public Fetchers(List<Fetcher> fetchers, FindReadyQueues statement, NodeView node, Duration pollInterval) {
        fetchers.forEach(fetcher -> byQueue.put(fetcher.queue(), fetcher));
        this.statement = statement;
        this.node = node;
        this.pollInterval = pollInterval;
    }

    /** Starts to poll. The first fetcher begins with a thread: its first claims need not wait for the JVM to load what they need. */
    public void start() {
        each(Fetcher::open);
        thread.start();
        all().findFirst().ifPresent(Fetcher::wake);
    }

    private Stream<Fetcher> all() {
        return byQueue.values().stream();
    }

    public void each(Consumer<Fetcher> action) {
        byQueue.values().forEach(action);
    }

    /** Does something with the fetcher of this queue, if this node runs jobs of it. */
    public void of(String queue, Consumer<Fetcher> action) {
        Fetcher fetcher = byQueue.get(queue);
        if (fetcher != null) {
            action.accept(fetcher);
        }
    }

    /** There may be jobs in any queue: look at once. */
    public void wake() {
        all().filter(fetcher -> !fetcher.resting()).forEach(Fetcher::wake);
        look.raise();
    }

    /** The node has a lease under this id: whoever waits for one may go on. */
    public void registered(long nodeId) {
        if (seenNode != nodeId) {
            seenNode = nodeId;
            wake();
        }
    }

    /** What their claims have brought. */
    public List<ClaimCounts> counts() {
        return all().map(Fetcher::counts).toList();
    }

    /** Their threads that cannot go on, by name. */
    public Stream<String> broken() {
        return Stream.concat(
                Stream.of(polling).filter(EndlessTask::troubled).map(EndlessTask::name),
                all().flatMap(Fetcher::broken));
    }

    /** Their threads that go on but have not succeeded for long, by name. */
    public Stream<String> failing() {
        return Stream.concat(
                Stream.of(polling).filter(poll -> polls.lasting()).map(EndlessTask::name),
                all().flatMap(Fetcher::failing));
    }

    /** Nothing more is claimed from now on. Returns what waits for the claims that are under way. */
    public LastClaims stop(UnansweredClaims claims, Duration drainTimeout) {
        polling.end();
        stopping = true;
        look.raise();
        each(Fetcher::stop);
        return new LastClaims(claims, List.copyOf(byQueue.values()), drainTimeout);
    }

    /** The thread that polls. */
    public Thread thread() {
        return thread;
    }

    private void run() {
        while (!stopping) {
            Duration rest;
            try {
                rest = poll();
                polls.worked();
            } catch (RuntimeException | Error e) {
                if (polls.failed() && !stopping) {
                    log.warn(
                            "polling for queues with ready jobs failed, will try again each {}",
                            DurationText.of(pollInterval),
                            e);
                }
                rest = Signal.jittered(pollInterval);
            }
            pauseFor(rest);
        }
    }

    /** Looks once at all queues whose fetchers rest. Returns how long to wait before the next look. */
    private Duration poll() {
        each(Fetcher::comeIfCalled);
        List<String> resting =
                all().filter(Fetcher::polledByNode).map(Fetcher::queue).toList();
        if (resting.isEmpty() || node.nodeId() == 0) {
            return Signal.jittered(pollInterval);
        }
        List<String> found;
        try {
            found = statement.among(resting, Claimer.QUICK);
        } catch (DataAccessException e) {
            if (outOfTime(e)) {
                resting.forEach(queue -> of(queue, Fetcher::wake)); // one is slow; each looks within its own budget
            }
            throw e;
        }
        found.forEach(queue -> of(queue, Fetcher::wake));
        emptyPolls = found.isEmpty() ? emptyPolls + 1 : 0;
        return Rests.idle(pollInterval, node.hearing() ? emptyPolls : 1);
    }

    /** SQLSTATE 57014: by statement_timeout, say. */
    private static boolean outOfTime(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException sql && "57014".equals(sql.getSQLState());
    }

    private void pauseFor(Duration rest) {
        Thread.interrupted(); // left behind by somebody's code: it would cut each rest short
        try {
            look.await(rest);
        } catch (InterruptedException e) {
            log.debug("interrupted, looks whether it is to stop", e);
        }
    }

    /**
     * Waits at a stop for the claims that are under way: once the node's row is removed, what they bring would count as a crash.
     * Fetchers get two seconds from the stop on, and the whole drain timeout while a claim is under way. Then claims are cancelled.
     */
    public static final class LastClaims {

        private static final Duration FETCHERS = Duration.ofSeconds(2);
        private static final Duration CANCELLED = Duration.ofSeconds(1);
        private static final Duration LOOK = Duration.ofMillis(20);

        private final UnansweredClaims claims;
        private final List<Fetcher> fetchers;
        private final TimeBudget end = new TimeBudget(FETCHERS);
        private final TimeBudget drain;

        /** Begins to measure the time. */
        private LastClaims(UnansweredClaims claims, List<Fetcher> fetchers, Duration drainTimeout) {
            this.claims = claims;
            this.fetchers = fetchers;
            this.drain = new TimeBudget(drainTimeout);
        }

        public void await() {
            while (fetching() && (!end.over() || claims.any() && !drain.over())) {
                join(new TimeBudget(LOOK));
            }
            if (fetching()) {
                // Elsewhere: it asks the server by a connection of its own, which may take long to open.
                Thread cancelling = Threads.daemon("rowlock-cancel").newThread(claims::cancel);
                cancelling.start();
                join(new TimeBudget(CANCELLED));
            }
        }

        private boolean fetching() {
            return fetchers.stream().anyMatch(Fetcher::fetching);
        }

        private void join(TimeBudget time) {
            fetchers.forEach(fetcher -> fetcher.join(time));
        }
    }
}
