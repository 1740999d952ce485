package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Known;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.KeyedBatch.Claimed;
import dev.rowlock.queue.internal.claim.KeyedBatch.Learned;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.thread.CostBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * What a node knows of the keys of one queue: which ones have brought jobs in each of the last rounds, up to which job each was claimed, and the lowest of
 * its tokens that runs. A round that asks these alone spares the server the walk from key to key, and the entries of jobs that are gone, of which there are
 * many while some transaction holds back vacuum. All of it may be forgotten: limits and order are kept in the database.
 *
 * <p>Tokens are certain: those of a key are drawn while it is locked, one claim after the other, so below the lowest that runs none ever will. They hold for
 * one version of the queue's rule, because jobs that were claimed before it are counted later. Positions are not: a job that comes back, one that is more
 * urgent, or one whose transaction took long may stand before them. And a known key is not a new one. So rounds walk again as soon as what they cost more
 * than others is a small share of the time, and at once if nothing is known or nothing else is to be done.
 *
 * <p>A key of which there is word is asked as well, at once where nothing keeps the node from it.
 *
 * <p>Used by one thread at a time, but for {@link #name} and {@link #named}.
 */
final class KeyCursor {

    /** Where more keys have jobs, each round walks. */
    static final int MOST = 20_000;

    /** Of keys that there was word of. */
    static final int MOST_NAMED = 1_000;

    /** A key is asked in rounds that do not walk if it came in so many in a row, and no more once it came in none of so many. */
    private static final int ROUNDS = 2;

    /** To walk over what fewer jobs have left behind costs less than to pass over a job that is more urgent. */
    private static final int FEW = 32;

    /** A walk that costs no more than this needs no budget while there is nothing else to do. */
    private static final Duration QUICK = Duration.ofMillis(5);

    /** Of the time, for walks while there is word of jobs and nobody has said of which keys. */
    private static final double SHARE_WHEN_HEARD = 0.25;

    /** How often to look for jobs that were claimed before a new rule: all that runs is read for it. */
    private static final Duration RECOUNT = Duration.ofMillis(100);

    /** How long the token of the queue holds: a job that was locked while a new rule counted what runs is counted later, and may have a lower one. */
    private static final Duration TOKEN_HOLDS = Duration.ofMinutes(1);

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.2;

    private static final Comparator<String> BY_CHARACTERS = KeyCursor::compare;

    private static final class Place {

        private Known known;
        private int jobs; // claimed
        private int rounds; // in a row that have brought it
        private int missed; // in a row that have not
        private boolean brought; // by the round that goes on

        Place(Known known) {
            this.known = known;
        }

        boolean recent() {
            return rounds >= ROUNDS;
        }
    }

    private final TreeMap<String, Place> places = new TreeMap<>(BY_CHARACTERS);
    private final Set<String> named = new LinkedHashSet<>(); // guarded by itself
    private final CostBudget walks;
    private boolean tooMany; // there are more than it may remember
    private double perJob; // what rounds cost that do not walk, in nanoseconds
    private double excess; // what the walk that goes on costs more
    private long rule = Keys.ANY_RULE;
    private long token; // nothing of the queue with a lower one counts
    private long tokenSince;
    private long recountedAt;

    /** @param share of the time that walks may take, as of {@link CostBudget} */
    KeyCursor(DoubleUnaryOperator share, long now) {
        walks = new CostBudget(share, now);
        tokenSince = now;
        recountedAt = now - RECOUNT.toNanos();
    }

    /** There are jobs of this key, or there is room for one. Returns false if there are too many such keys to remember. Any thread. */
    boolean name(String key) {
        synchronized (named) {
            return named.contains(key) || named.size() < MOST_NAMED && named.add(key);
        }
    }

    /** The same of keys that are asked before all others, as {@link #takeNamed} has given them: however many there are. */
    void nameFirst(List<String> keys) {
        synchronized (named) {
            List<String> others = List.copyOf(named);
            named.clear();
            named.addAll(keys);
            named.addAll(others);
        }
    }

    /** Whether there are keys of which there was word. Any thread. */
    boolean named() {
        synchronized (named) {
            return !named.isEmpty();
        }
    }

    /** Some of those of which there was word, so many at most. They are forgotten. */
    List<String> takeNamed(int most) {
        synchronized (named) {
            List<String> some = named.stream().limit(most).toList();
            some.forEach(named::remove);
            return some;
        }
    }

    /** All of those take part in the next round. */
    void addNamed() {
        takeNamed(MOST_NAMED).forEach(this::add);
    }

    private void add(String key) {
        Place place = places.computeIfAbsent(key, name -> new Place(Known.fromFront(name)));
        if (quick()) { // its new job may be more urgent
            place.known = withToken(Known.fromFront(key), place.known.token());
        }
        place.rounds = Math.max(ROUNDS, place.rounds);
        place.missed = 0;
    }

    /** Whether the next round asks this key, also if it does not walk. */
    boolean knows(String key) {
        Place place = places.get(key);
        return place != null && place.recent() && !tooMany;
    }

    /** Whether there is a key to ask without a walk. */
    boolean knowsAny() {
        return !tooMany && places.values().stream().anyMatch(Place::recent);
    }

    /**
     * How long until a round may walk; zero: now.
     *
     * @param idle whether nothing else is to be done
     * @param heard whether there is word of jobs of any keys since the last walk began
     */
    Duration walkIn(boolean idle, boolean heard, long now) {
        if (idle && quick()) {
            return Duration.ZERO;
        }
        long usual = walks.allowedIn(now);
        return Duration.ofNanos(heard ? Math.min(usual, walks.allowedIn(now, SHARE_WHEN_HEARD)) : usual);
    }

    private boolean quick() {
        return walks.apart(1).compareTo(QUICK) <= 0;
    }

    /** For a claim that walks. */
    Keys walk(long now) {
        return new Keys(null, false, token(now), rule, recount(now));
    }

    /** For a claim of a round that asks those known, the look's key and those behind it, so many at most. */
    Keys behind(Look look, int most, long now) {
        List<Known> known = new ArrayList<>();
        boolean more = false;
        if (look.rest() > 0) {
            known.add(known(look.key()));
        }
        for (Place place : places.tailMap(look.key(), false).values()) {
            if (place.recent()) {
                more = known.size() >= most;
                if (more) {
                    break;
                }
                known.add(place.known);
            }
        }
        return new Keys(known, more, token(now), rule, recount(now));
    }

    /** For a claim that asks these, of which there was word. */
    Keys of(Collection<String> keys, long now) {
        keys.stream().filter(places::containsKey).forEach(this::add);
        return new Keys(keys.stream().map(this::known).toList(), false, token(now), rule, recount(now));
    }

    private Known known(String key) {
        Place place = places.get(key);
        return place == null ? Known.fromFront(key) : place.known;
    }

    private long token(long now) {
        if (now - tokenSince >= TOKEN_HOLDS.toNanos()) {
            token = 0; // the claim that asks finds the lowest one
            tokenSince = now;
        }
        return token;
    }

    private boolean recount(long now) {
        boolean due = now - recountedAt >= RECOUNT.toNanos();
        recountedAt = due ? now : recountedAt;
        return due;
    }

    /**
     * A claim has come back.
     *
     * @param walked whether it has walked: nothing more urgent of its keys was ready than what it brought
     * @param of the keys of which there was word that it has asked
     */
    void learn(KeyedBatch batch, boolean walked, Collection<String> of) {
        Learned learned = batch.learned();
        long version = learned.seen() == null ? Keys.NO_RULE : learned.seen();
        boolean tokens = learned.rule() != null;
        if (rule != version || !tokens) {
            token = 0;
            places.values().forEach(place -> place.known = withToken(place.known, 0));
        }
        rule = version;
        learned.claimed().forEach((key, claimed) -> {
            Place place = places.computeIfAbsent(key, name -> new Place(Known.fromFront(name)));
            place.jobs += claimed.jobs();
            place.known = withToken(position(place, claimed, walked), tokens ? claimed.token() : 0);
            place.brought = true;
        });
        learned.lowest().forEach((key, lowest) -> {
            Place place = places.get(key);
            if (place != null) { // a limit may have kept it from others
                place.known = withToken(place.known, tokens ? lowest : 0);
                place.brought = true;
            }
        });
        of.stream()
                .filter(key -> learned.claimed().containsKey(key) || batch.untilRate() != null)
                .forEach(this::add);
        if (tokens && learned.lowestOfQueue() != null) {
            token = learned.lowestOfQueue();
        }
        if (batch.stop() == Stop.NONE) {
            measure(batch, walked);
        }
        if (places.size() > MOST) {
            places.clear();
            tooMany = true;
        }
    }

    private void measure(KeyedBatch batch, boolean walked) {
        double took = batch.batch().took().toNanos();
        int jobs = batch.batch().jobs().size();
        if (walked) {
            double each = took / Math.max(1, jobs);
            excess += Math.max(0, took - jobs * (perJob == 0 ? each : perJob));
            perJob = Math.min(perJob, each); // otherwise one slow round that did not walk would let all others walk
        } else if (jobs > 0) {
            perJob += (perJob == 0 ? 1 : NEWEST) * (took / jobs - perJob);
        }
    }

    /** A position stays within the most urgent rank that the last walk has found, or other urgent jobs would come only with the next one. */
    private static Known position(Place place, Claimed claimed, boolean walked) {
        Known was = place.known;
        boolean passesUrgent = !walked && was.id() > 0 && was.rank() < claimed.rank();
        return passesUrgent || place.jobs < FEW ? was : new Known(was.key(), claimed.rank(), claimed.id(), 0);
    }

    private static Known withToken(Known known, long token) {
        return new Known(known.key(), known.rank(), known.id(), token);
    }

    /** A round begins to walk. */
    void walks() {
        tooMany = false;
        excess = 0;
    }

    /**
     * A round is over.
     *
     * @param walked whether it has walked, at least at its end
     * @param whole whether it has walked from its beginning on
     */
    void roundIsOver(boolean walked, boolean whole, long now) {
        if (walked) {
            walks.took(Duration.ofNanos((long) excess), now);
            excess = 0;
        }
        for (Place place : places.values()) {
            if (place.brought) {
                place.rounds++;
                place.missed = 0;
            } else if (whole || place.recent()) {
                place.missed++;
            }
            place.brought = false;
        }
        places.values().removeIf(place -> place.missed >= ROUNDS || place.missed > 0 && !place.recent());
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
