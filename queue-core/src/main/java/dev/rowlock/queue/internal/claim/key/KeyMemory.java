package dev.rowlock.queue.internal.claim.key;

import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.KnownKeys;
import dev.rowlock.queue.internal.store.claim.KnownKeys.Known;
import dev.rowlock.queue.internal.store.claim.LearnedKeys;
import dev.rowlock.queue.internal.store.claim.LearnedKeys.Claimed;
import dev.rowlock.queue.internal.thread.CostBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * What a node remembers of the busy keys of one queue, so that its claims do not walk over entries of jobs that are gone: up to which job each has been
 * claimed, and the lowest token that runs.
 *
 * <p>Tokens are certain: those of a key are drawn while it is locked, one claim after the other, so below the lowest that runs none ever will. They
 * hold for one version of the queue's rule, because jobs that were claimed before it are counted later. Positions are not: a job that comes
 * back, one that is more urgent, or one whose transaction took long may stand before them. A position stays within the most urgent rank that the last look from the front has
 * found, or other urgent jobs would come only with the next one. So from time to time a round looks from the front, which may
 * take a share of the time, and any time if that is quick and there is nothing else to do. Keys in order are always looked at from the front: there, whatever comes
 * back goes first.
 *
 * <p>Used by one thread at a time.
 */
public final class KeyMemory {

    /** To walk over what fewer jobs have left behind costs less than two looks, one for the gap before the key and one behind its last job. */
    static final int FEW = 32;

    private static final int MOST = 10_000;

    /** A look from the front that takes no longer needs no budget while there is nothing else to do. */
    private static final Duration QUICK = Duration.ofMillis(5);

    /** Where looks from the front are quick, keys are forgotten of which nothing was claimed for so long. */
    private static final Duration KEPT = Duration.ofSeconds(10);

    /** How often to look for jobs that were claimed before a new rule: all that runs is read for it. */
    private static final Duration RECOUNT = Duration.ofMillis(100);

    static final Comparator<String> BY_CHARACTERS = KeyMemory::compare;

    /** @param claimedAt when a job of it was claimed last, monotonic */
    private record Busy(Known known, long claimedAt) {}

    private final Map<String, Integer> others = new HashMap<>(); // how many jobs of each were claimed
    private final TreeMap<String, Busy> busy = new TreeMap<>(BY_CHARACTERS);
    private final CostBudget fronts;
    private long rule = KnownKeys.NONE.rule();
    private long token;
    private long recountedAt;

    /** @param share of the time that looks from the front may take, as of {@link CostBudget} */
    public KeyMemory(DoubleUnaryOperator share, long now) {
        fronts = new CostBudget(share, now);
        recountedAt = now - RECOUNT.toNanos();
    }

    /** How long until a round may look from the front; zero: now. */
    public Duration frontIn(boolean nothingElse, long now) {
        boolean quick = nothingElse && fronts.apart(1).compareTo(QUICK) <= 0;
        return busy.isEmpty() || quick ? Duration.ZERO : Duration.ofNanos(fronts.allowedIn(now));
    }

    /** A round that has looked from the front is over. */
    public void lookedFromFront(Duration took, long now) {
        fronts.took(took, now);
        if (fronts.apart(1).compareTo(QUICK) <= 0) {
            busy.values().removeIf(key -> now - key.claimedAt() > KEPT.toNanos());
        }
    }

    /** For a claim that looks from the front. */
    public KnownKeys fromFront(long now) {
        return new KnownKeys(List.of(), false, false, token, rule, recount(now));
    }

    /**
     * For any other.
     *
     * @param most how many keys it takes
     */
    public KnownKeys from(Turn turn, int most, long now) {
        List<Known> known = new ArrayList<>();
        boolean more = false;
        for (Busy key : busy.tailMap(turn.key(), turn.rest() > 0).values()) {
            more = known.size() == most;
            if (more) {
                break;
            }
            known.add(key.known());
        }
        return new KnownKeys(known, more, false, token, rule, recount(now));
    }

    /**
     * For a claim that asks these keys alone.
     *
     * @param keys in their order, and one more than it takes if there are more
     */
    public KnownKeys alone(List<String> keys, int most, long now) {
        List<Known> known = keys.stream()
                .limit(most)
                .map(key -> {
                    Busy place = busy.get(key);
                    return place == null ? Known.fromFront(key) : place.known();
                })
                .toList();
        return new KnownKeys(known, keys.size() > most, true, token, rule, recount(now));
    }

    private boolean recount(long now) {
        boolean due = now - recountedAt >= RECOUNT.toNanos();
        recountedAt = due ? now : recountedAt;
        return due;
    }

    /** @param fromFront whether the claim has looked from the front: nothing more urgent was ready than what it brought */
    public void learn(LearnedKeys learned, boolean fromFront, long now) {
        Long seen = learned.seen();
        long version = seen == null ? KnownKeys.NO_RULE : seen;
        boolean other = rule != version;
        rule = version;
        if (learned.inOrder()) {
            others.clear();
            busy.clear();
            return;
        }
        boolean tokens = learned.rule() != null;
        if (other || !tokens) {
            token = 0;
            busy.replaceAll((key, was) -> new Busy(withToken(was.known(), 0), was.claimedAt()));
        }
        learned.claimed().forEach((key, claimed) -> {
            if (isBusy(key, claimed.jobs())) {
                Known place = place(key, claimed, fromFront);
                busy.put(key, new Busy(withToken(place, tokens ? claimed.token() : 0), now));
            }
        });
        if (tokens) {
            learned.lowest()
                    .forEach((key, lowest) -> busy.computeIfPresent(
                            key, (same, was) -> new Busy(withToken(was.known(), lowest), was.claimedAt())));
            token = learned.lowestOfQueue() == null ? token : learned.lowestOfQueue();
        }
    }

    private Known place(String key, Claimed claimed, boolean fromFront) {
        Busy was = busy.get(key);
        return !fromFront && was != null && was.known().rank() < claimed.rank()
                ? was.known()
                : new Known(key, claimed.rank(), claimed.id(), 0);
    }

    private boolean isBusy(String key, int jobs) {
        if (busy.containsKey(key)) {
            return true;
        }
        if (others.merge(key, jobs, Integer::sum) < FEW) {
            if (others.size() > MOST) {
                others.clear();
            }
            return false;
        }
        others.remove(key);
        if (busy.size() >= MOST) {
            busy.clear();
        }
        return true;
    }

    private static Known withToken(Known known, long token) {
        return new Known(known.key(), known.rank(), known.id(), token);
    }

    /** As the server does, where its encoding is UTF-8: by characters, of which those in two parts are the last. */
    private static int compare(String a, String b) {
        for (int i = 0; i < Math.min(a.length(), b.length()); i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return Character.isSurrogate(x) == Character.isSurrogate(y)
                        ? Character.compare(x, y)
                        : Character.isSurrogate(x) ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
