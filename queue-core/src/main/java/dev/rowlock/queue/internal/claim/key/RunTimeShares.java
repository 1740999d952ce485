package dev.rowlock.queue.internal.claim.key;

import dev.rowlock.queue.job.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * How long this node's threads have worked for each key of a queue whose keys share run time: start-time fair queueing, in memory only. The queue has a virtual time, each
 * key has one of its own, which grows by what its jobs run, while they run, divided by its weight. Keys whose time lies ahead of those that want threads
 * now are passed over, and come when nobody else wants the place.
 *
 * <p>A key that comes back joins at the queue's virtual time: it saves up nothing. So nothing is lost where one is forgotten that has not run for long.
 * Where no queue shares run time nothing is kept. Thread-safe.
 */
public final class RunTimeShares {

    /** So many keys are known at most, the latest. */
    public static final int MOST_KEYS = 10_000;

    /** So many keys at most are passed over by a claim, the next ones in their order: no claim comes by more. */
    static final int MOST_AHEAD = 1_000;

    /** Keys count as level that lie no further apart than what all threads work in this time. */
    private static final long LEVEL = 10_000_000;

    /** How far claims reach: to keys that are level with the least, to those level with the least of the others, to all. */
    public static final int FURTHEST = 2;

    private final LongSupplier nanos;
    private final long origin;
    private final long level;
    private volatile boolean active;
    private double virtual; // guarded by this, as below
    private final double[] reached = new double[FURTHEST]; // how far the last claims have looked, by their reach
    private final Map<String, Share> shares = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Claim, Started> running = new HashMap<>();
    private Map<String, Integer> weights = Map.of();
    private Set<String> wanting = Set.of();

    /** The time of one key. */
    private static final class Share {

        private double settled; // without what runs now
        private int weight = 1;
        private int running;
        private double startedSum;

        double at(long now) {
            return settled + (running * (double) now - startedSum) / weight;
        }
    }

    /** A job that runs, and since when. */
    private record Started(String key, long at) {}

    /** @param nanos monotonic */
    RunTimeShares(int concurrency, LongSupplier nanos) {
        this.level = concurrency * LEVEL;
        this.nanos = nanos;
        this.origin = nanos.getAsLong();
    }

    /** Whether the queue's keys share run time; what is known is forgotten when they cease to. */
    public void active(boolean is) {
        if (active != is) {
            forget(is);
        }
    }

    private synchronized void forget(boolean is) {
        active = is;
        shares.clear();
        running.clear();
        wanting = Set.of();
        weights = Map.of();
        virtual = 0;
    }

    private long now() {
        return nanos.getAsLong() - origin;
    }

    /**
     * Keys that a claim passes over.
     *
     * @param reach how far it reaches, up to {@link #FURTHEST}
     * @param from it begins with this key, or behind it; empty: with the first one
     */
    public List<String> ahead(int reach, String from) {
        if (!active || reach >= FURTHEST) {
            return List.of();
        }
        List<String> ahead = aheadOf(reach);
        return ahead.size() <= MOST_AHEAD
                ? ahead
                : ahead.stream()
                        .filter(key -> KeyMemory.BY_CHARACTERS.compare(key, from) >= 0)
                        .sorted(KeyMemory.BY_CHARACTERS)
                        .limit(MOST_AHEAD)
                        .toList();
    }

    private synchronized List<String> aheadOf(int reach) {
        long now = now();
        double above = reach == 0 ? Double.NEGATIVE_INFINITY : reached[reach - 1];
        double least = wanting.stream()
                .mapToDouble(key -> timeOf(key, now))
                .filter(time -> time > above)
                .min()
                .orElse(Math.max(virtual, above));
        reached[reach] = least + level;
        List<String> ahead = new ArrayList<>();
        shares.forEach((key, share) -> {
            if (share.at(now) > reached[reach]) {
                ahead.add(key);
            }
        });
        return ahead;
    }

    /** Whoever has not run for long, or never, joins where the others are. */
    private double timeOf(String key, long now) {
        Share share = shares.get(key);
        return share == null ? virtual : Math.max(share.at(now), virtual - level);
    }

    /** Keys that have jobs ready, as a whole round has found them, with their weights. */
    public void wanting(Map<String, Integer> keys) {
        if (active) {
            note(keys);
        }
    }

    private synchronized void note(Map<String, Integer> keys) {
        wanting = Set.copyOf(keys.keySet());
        weights = Map.copyOf(keys);
        keys.forEach((key, weight) -> {
            Share share = shares.get(key);
            if (share != null) {
                share.weight = weight;
            }
        });
    }

    /** Jobs of these keys were claimed: the queue is where the least of them is. */
    public void served(Collection<String> keys) {
        if (active && !keys.isEmpty()) {
            advance(keys);
        }
    }

    private synchronized void advance(Collection<String> keys) {
        long now = now();
        double least = keys.stream().mapToDouble(key -> timeOf(key, now)).min().orElse(virtual);
        virtual = Math.max(virtual, least);
    }

    /** A handler begins. */
    void started(Claim claim, String key) {
        if (active) {
            begin(claim, key);
        }
    }

    private synchronized void begin(Claim claim, String key) {
        long now = now();
        if (running.putIfAbsent(claim, new Started(key, now)) != null) {
            return;
        }
        Share share = shares.get(key);
        if (share == null) {
            share = new Share();
            share.settled = virtual;
            share.weight = weights.getOrDefault(key, 1);
            shares.put(key, share);
            forgetOldest();
        }
        share.settled += Math.max(0, virtual - level - share.at(now));
        share.running++;
        share.startedSum += now;
    }

    /** It has ended, and has run until now. */
    void ended(Claim claim) {
        if (active) {
            settle(claim);
        }
    }

    private synchronized void settle(Claim claim) {
        Started job = running.remove(claim);
        Share share = job == null ? null : shares.get(job.key());
        if (job != null && share != null) {
            share.running--;
            share.startedSum -= job.at();
            share.settled += (now() - job.at()) / (double) share.weight;
        }
    }

    private void forgetOldest() {
        Iterator<Share> oldest = shares.values().iterator();
        while (shares.size() > MOST_KEYS && oldest.hasNext()) {
            if (oldest.next().running == 0) {
                oldest.remove();
            }
        }
    }

    /** How many keys are known. */
    synchronized int keys() {
        return shares.size();
    }
}
