package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.internal.thread.TimeBudget;
import java.time.Duration;
import java.util.List;

/**
 * Waits at a stop for the claims that are under way: once the node's row is removed, what they bring would count as a crash.
 * Fetchers get two seconds from the stop on, and the whole drain timeout while a claim is under way. Then claims are cancelled.
 */
public final class LastClaims {

    private static final Duration FETCHERS = Duration.ofSeconds(2);
    private static final Duration CANCELLED = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final UnansweredClaims claims;
    private final List<Fetcher> fetchers;
    private final TimeBudget end = new TimeBudget(FETCHERS);
    private final TimeBudget drain;

    /** Begins to measure the time. */
    public LastClaims(UnansweredClaims claims, List<Fetcher> fetchers, Duration drainTimeout) {
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
