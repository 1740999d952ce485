package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.Holder;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.KeyedJob;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.Replaced;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.Replacement;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.TypedKey;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.KeyHolderStartedException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.job.UniqueKey.OnConflict;
import dev.rowlock.queue.job.UniqueKey.Until;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;

/** Enqueues jobs of which some have unique keys that do more than keep a job. In one transaction. */
public final class UniqueRequests {

    /** Each time, a job must have moved between the snapshot and the lock. */
    private static final int LOOKS = 10;

    /**
     * The job that answers a request.
     *
     * @param inserted whether it is new, also one that waits for another one's end
     */
    public record Answer(long id, Enqueued what, boolean inserted) {

        static Answer of(long id, Enqueued what) {
            return new Answer(id, what, what == Enqueued.CREATED);
        }
    }

    private final UniqueKeyStatements statements;

    public UniqueRequests(Schema schema) {
        this.statements = new UniqueKeyStatements(schema);
    }

    /** Whether the request pushes a due time back. A job that is due already stays so. */
    public static boolean postpones(NewJob job) {
        return job.uniqueKey() != null && job.uniqueKey().onConflict() == OnConflict.POSTPONE;
    }

    /** Whether this key needs what is here; others are cheaper elsewhere. */
    public static boolean needed(@Nullable UniqueKey key) {
        return key != null && (key.until() != Until.ENDED || key.onConflict() != OnConflict.KEEP);
    }

    /**
     * Returns an answer for each job, in the same order: the same as if they came one after the other.
     *
     * @throws KeyHolderStartedException if a job is to be replaced that has started: then nothing was enqueued or changed
     * @throws ConcurrencyFailureException if a job moves faster than it can be looked at
     */
    public List<Answer> run(Connection connection, List<NewJob> jobs) throws SQLException {
        Map<TypedKey, List<Integer>> byKey = byKey(jobs);
        statements.lock(connection, List.copyOf(byKey.keySet()));
        @Nullable Answer[] answers = new Answer[jobs.size()];
        List<List<Integer>> rounds = rounds(jobs, byKey);
        if (rounds.size() == 1) {
            runApart(connection, jobs, rounds.get(0), answers);
        } else {
            runAll(connection, jobs, rounds, answers);
        }
        byKey.values().forEach(places -> fillIn(places, answers));
        List<Answer> all = new ArrayList<>(answers.length);
        for (Answer answer : answers) {
            if (answer == null) {
                throw new IllegalStateException("a request was left without an answer");
            }
            all.add(answer);
        }
        return all;
    }

    /** A round that meets a started job takes back those before it: the caller's transaction may go on. */
    private void runAll(
            Connection connection, List<NewJob> jobs, List<List<Integer>> rounds, @Nullable Answer[] answers)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            for (List<Integer> round : rounds) {
                runApart(connection, jobs, round, answers);
            }
        } catch (KeyHolderStartedException e) {
            connection.rollback(before);
            throw e;
        }
        connection.releaseSavepoint(before);
    }

    /** The places of each key's requests. */
    private static Map<TypedKey, List<Integer>> byKey(List<NewJob> jobs) {
        Map<TypedKey, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            TypedKey key = typedKey(jobs.get(i));
            if (key != null) {
                places.computeIfAbsent(key, any -> new ArrayList<>()).add(i);
            }
        }
        return places;
    }

    private static @Nullable TypedKey typedKey(NewJob job) {
        return job.uniqueKey() == null
                ? null
                : new TypedKey(job.type(), job.uniqueKey().value());
    }

    /** What can be decided together: in each round at most one request for each key. The first one has those without keys. */
    private static List<List<Integer>> rounds(List<NewJob> jobs, Map<TypedKey, List<Integer>> byKey) {
        List<List<Integer>> rounds = new ArrayList<>();
        rounds.add(new ArrayList<>(IntStream.range(0, jobs.size())
                .filter(i -> jobs.get(i).uniqueKey() == null)
                .boxed()
                .toList()));
        for (List<Integer> places : byKey.values()) {
            List<Integer> counting = alike(jobs, places) && places.size() > 2
                    ? List.of(places.get(0), places.get(places.size() - 1))
                    : places;
            for (int turn = 0; turn < counting.size(); turn++) {
                if (turn == rounds.size()) {
                    rounds.add(new ArrayList<>());
                }
                rounds.get(turn).add(counting.get(turn));
            }
        }
        rounds.forEach(round -> round.sort(Comparator.naturalOrder()));
        return rounds;
    }

    /** Of requests that differ in what is replaced only, all behind the first one get the same answer, and the last one stays. */
    private static boolean alike(List<NewJob> jobs, List<Integer> places) {
        NewJob first = jobs.get(places.get(0));
        return places.stream()
                .map(jobs::get)
                .allMatch(job -> first.uniqueKey() != null
                        && first.uniqueKey().equals(job.uniqueKey())
                        && (first.due() == null
                                ? job.due() == null
                                : first.due().equals(job.due())));
    }

    private static void fillIn(List<Integer> places, @Nullable Answer[] answers) {
        Answer last = answers[places.get(places.size() - 1)];
        for (int place : places) {
            if (answers[place] == null) {
                answers[place] = last;
            }
        }
    }

    private void runApart(Connection connection, List<NewJob> jobs, List<Integer> round, @Nullable Answer[] answers)
            throws SQLException {
        List<Integer> keyed =
                round.stream().filter(i -> jobs.get(i).uniqueKey() != null).toList();
        Map<Integer, Holder> holders = holders(connection, jobs, keyed);
        Map<Integer, KeyedJob> inserts = new LinkedHashMap<>();
        Map<Integer, Replacement> replacements = new LinkedHashMap<>();
        for (int i : round) {
            NewJob job = jobs.get(i);
            Holder holder = holders.get(i);
            if (holder == null || job.uniqueKey() == null || !held(job.uniqueKey(), holder)) {
                inserts.put(i, new KeyedJob(job, null));
            } else if (job.uniqueKey().onConflict() == OnConflict.KEEP) {
                answers[i] = Answer.of(holder.id(), Enqueued.KEPT);
            } else if (holder.idle()) {
                replacements.put(i, new Replacement(holder.id(), job));
            } else if (job.uniqueKey().onConflict() == OnConflict.REPLACE) {
                throw new KeyHolderStartedException(job.uniqueKey(), holder.id());
            } else {
                inserts.put(i, new KeyedJob(job, holder.id()));
            }
        }
        insert(connection, inserts, answers);
        replace(connection, replacements, answers);
    }

    private static boolean held(UniqueKey key, Holder holder) {
        boolean longer = key.onConflict() == OnConflict.KEEP && holder.heldLonger();
        return switch (key.until()) {
            case ENDED -> holder.live() || longer;
            case STARTED -> holder.idle() || longer;
            case PERIOD -> longer;
        };
    }

    /** What the jobs are doing that hold the keys of these requests; looks again while one of them moves. */
    private Map<Integer, Holder> holders(Connection connection, List<NewJob> jobs, List<Integer> keyed)
            throws SQLException {
        Map<Integer, Holder> found = new LinkedHashMap<>();
        List<Integer> open = keyed;
        for (int look = 0; !open.isEmpty(); look++) {
            if (look == LOOKS) {
                throw new ConcurrencyFailureException("the job with unique key %s moved at each of %d looks: try again"
                        .formatted(jobs.get(open.get(0)).uniqueKey(), LOOKS));
            }
            List<Integer> asked = open;
            List<Holder> holders =
                    statements.holders(connection, asked.stream().map(jobs::get).toList());
            open = new ArrayList<>();
            for (int i = 0; i < holders.size(); i++) {
                Holder holder = holders.get(i);
                if (holder.idle()
                        && !holder.locked()
                        && UniqueKeyStatements.changes(
                                Objects.requireNonNull(jobs.get(asked.get(i)).uniqueKey()))) {
                    open.add(asked.get(i));
                } else {
                    found.put(asked.get(i), holder);
                }
            }
        }
        return found;
    }

    private void insert(Connection connection, Map<Integer, KeyedJob> inserts, @Nullable Answer[] answers)
            throws SQLException {
        if (inserts.isEmpty()) {
            return;
        }
        long[] ids = statements.insert(connection, List.copyOf(inserts.values()));
        int next = 0;
        for (Map.Entry<Integer, KeyedJob> one : inserts.entrySet()) {
            Enqueued what = one.getValue().after() == null ? Enqueued.CREATED : Enqueued.ONCE_MORE;
            answers[one.getKey()] = new Answer(ids[next++], what, true);
        }
    }

    private void replace(Connection connection, Map<Integer, Replacement> replacements, @Nullable Answer[] answers)
            throws SQLException {
        if (replacements.isEmpty()) {
            return;
        }
        List<Map.Entry<Integer, Replacement>> byId = replacements.entrySet().stream()
                .sorted(Comparator.comparingLong(one -> one.getValue().id()))
                .toList();
        List<Replaced> replaced = statements.replace(
                connection, byId.stream().map(Map.Entry::getValue).toList());
        for (int i = 0; i < replaced.size(); i++) {
            answers[byId.get(i).getKey()] = Answer.of(replaced.get(i).id(), what(replaced.get(i)));
        }
    }

    /** A job that runs once more is answered so, whoever changes it. */
    private static Enqueued what(Replaced replaced) {
        if (replaced.follows()) {
            return Enqueued.ONCE_MORE;
        }
        return replaced.postponed() ? Enqueued.POSTPONED : Enqueued.REPLACED;
    }
}
