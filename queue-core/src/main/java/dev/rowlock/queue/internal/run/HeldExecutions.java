package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.ClaimBudget;
import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The claimed jobs of a queue that this node holds, each from its claim until its outcome is recorded. Thread-safe. */
public final class HeldExecutions {

    private final Set<Execution> held = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unsettled = new AtomicInteger(); // of those held, they have no outcome yet
    private final ClaimBudget budget;
    private final KindShares places; // guarded by this

    HeldExecutions(ClaimBudget budget, int concurrency) {
        this.budget = budget;
        this.places = KindShares.ofPlaces(concurrency, System::nanoTime);
    }

    void add(Execution execution) {
        held.add(execution);
        if (execution.job().counted()) {
            begin(Kind.of(execution.job()));
        }
        // From here on nothing can fail for lack of memory. What is claimed and not held is given back as stranded.
        unsettled.incrementAndGet();
        budget.take(execution.payloadBytes());
    }

    /** It has an outcome. Returns whether the caller is the one that may hand it over. */
    boolean settle(Execution execution) {
        boolean first = execution.settle();
        if (first) {
            unsettled.decrementAndGet();
            budget.giveBack(execution.payloadBytes());
        }
        return first;
    }

    /** Returns whether it was held. */
    boolean remove(Execution execution) {
        boolean was = held.remove(execution);
        if (was && execution.job().counted()) {
            end(Kind.of(execution.job()));
        }
        return was;
    }

    private synchronized void begin(Kind kind) {
        places.begin(kind);
    }

    private synchronized void end(Kind kind) {
        places.end(kind);
    }

    /** Says whether jobs of both kinds wait to be claimed. */
    synchronized void contended(boolean both) {
        places.contended(both);
    }

    /** The kind that has had less of the places that limits have. */
    synchronized Kind behind() {
        return places.behind();
    }

    /** How many have no outcome yet. */
    int unsettled() {
        return unsettled.get();
    }

    Stream<Execution> all() {
        return held.stream();
    }

    /** Interrupts the job with this claim token, if it is held here. */
    public void cancel(long token) {
        held.stream()
                .filter(execution -> execution.job().claim().token() == token)
                .forEach(execution -> execution.stop(Execution.Stop.CANCELLED));
    }

    /** How many handlers are running. */
    public int active() {
        return (int) held.stream()
                .map(Execution::thread)
                .filter(Objects::nonNull)
                .distinct() // a thread may run many jobs in one call
                .count();
    }

    /** The tokens of the claims. */
    public LongStream tokens() {
        return held.stream().mapToLong(execution -> execution.job().claim().token());
    }

    /** Those whose handlers still run so long after their deadline. */
    public Stream<Execution> overdue(Duration grace) {
        long now = System.nanoTime();
        return held.stream().filter(execution -> execution.overdue(now, grace));
    }

    /** Those whose handlers have been running for so long. */
    public Stream<Execution> running(Duration atLeast) {
        return held.stream().filter(execution -> execution.runningFor().compareTo(atLeast) >= 0);
    }

    /** The jobs in the hands of threads, or about to be: held, and no outcome yet. */
    public Stream<ClaimedJob> busy() {
        return held.stream()
                .filter(execution -> !execution.settled() && !execution.exiting())
                .map(Execution::job);
    }
}
