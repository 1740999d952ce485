package dev.rowlock.queue;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What handlers see of jobs of one queue, held against the rules: of order, of unique keys, of attempts, and of what becomes of each job. One lock for all: what is
 * counted must be what runs at that moment.
 */
final class CombinedModel {

    /**
     * A job.
     *
     * @param acts what its attempts do, one after the other; then it completes
     * @param once no other job with the same one begins before it has ended; empty: any may
     * @param later it is ready some time after its enqueue
     */
    record Work(List<String> acts, int priority, String once, boolean later) {

        static Work of(List<String> acts) {
            return new Work(acts, 0, "", false);
        }
    }

    /** A job that has begun. */
    private static final class Begun {

        private final long id;
        private final String key;
        private final Work work;
        private final int place; // of its first attempt among those of all
        private int attempts;
        private int failedAt; // how many had begun when it failed
        private boolean redriven; // and has not begun since
        private @Nullable JobState end;

        Begun(long id, String key, Work work, int place) {
            this.id = id;
            this.key = key;
            this.work = work;
            this.place = place;
        }

        /** Whether it holds up others only by its place among them: it has snoozed, or was redriven. */
        boolean keepsItsPlace() {
            return redriven
                    || attempts > 0
                            && attempts <= work.acts().size()
                            && work.acts().get(attempts - 1).equals("snoozes");
        }

        boolean standsBefore(Begun other) {
            int urgent = Integer.compare(work.priority(), other.work.priority());
            return urgent > 0 || urgent == 0 && id < other.id;
        }
    }

    private final @Nullable AfterFailure order;
    private final Map<Long, Begun> jobs = new HashMap<>(); // guarded by this, as are those below
    private final Map<Long, String> running = new HashMap<>();
    private final Map<String, Begun> heads =
            new HashMap<>(); // of each key: the job that has begun and holds up the others
    private final Map<String, Begun> once = new HashMap<>();
    private final Map<String, Integer> mostOfKey = new HashMap<>();
    private final List<String> broken = new ArrayList<>();
    private int most;

    CombinedModel(@Nullable AfterFailure order) {
        this.order = order;
    }

    /** Returns what the attempt does. */
    synchronized String begins(JobContext context, Work work) {
        String key = context.key().orElse("");
        running.put(context.id(), key);
        most = Math.max(most, running.size());
        mostOfKey.merge(key, (int) running.values().stream().filter(key::equals).count(), Math::max);
        boolean first = !jobs.containsKey(context.id());
        Begun job = jobs.computeIfAbsent(context.id(), id -> new Begun(id, key, work, jobs.size()));
        require(job.end == null, "%d begins after its end, which was %s", job.id, job.end);
        if (first && !work.once().isEmpty()) {
            Begun other = once.put(work.once(), job);
            require(other == null, "%d begins, and another one of '%s' has not ended", job.id, work.once());
        }
        if (order != null && !key.isEmpty()) {
            goesFirst(job);
        }
        return job.attempts < work.acts().size() ? work.acts().get(job.attempts) : "completes";
    }

    /**
     * A job that has snoozed, or was redriven, stands where it stood: more urgent ones begin before it, and older ones that were delayed or redriven themselves.
     */
    private void goesFirst(Begun job) {
        Begun head = heads.put(job.key, job);
        require(
                head == null || head == job || head.keepsItsPlace() && job.standsBefore(head),
                "%d of %s begins before another one has ended",
                job.id,
                job.key);
        job.redriven = false;
    }

    synchronized void ends(JobContext context, String act) {
        Begun job = Objects.requireNonNull(jobs.get(context.id()));
        running.remove(job.id);
        job.attempts++;
        if (act.equals("completes") || act.equals("fails")) {
            job.end = act.equals("fails") ? JobState.DEAD : JobState.COMPLETED;
            job.failedAt = jobs.size();
            once.remove(job.work.once(), job);
            if (job.end == JobState.COMPLETED || order != AfterFailure.HOLD) {
                heads.remove(job.key, job);
            }
        }
    }

    /** A failed job will run again. */
    synchronized void redriven(long id) {
        Begun job = Objects.requireNonNull(jobs.get(id));
        job.end = null;
        job.redriven = true;
    }

    /** A failed job will hold up its key no longer. */
    synchronized void released(long id) {
        Begun job = Objects.requireNonNull(jobs.get(id));
        heads.remove(job.key, job);
    }

    /**
     * A job has ended, as the database says.
     *
     * @param lastOfFailed of each failed job of its key, the last job that was enqueued before it failed
     */
    synchronized void ended(long id, JobState state, Map<Long, Long> lastOfFailed) {
        Begun job = jobs.get(id);
        if (job == null) {
            boolean ofTheRest = lastOfFailed.values().stream().anyMatch(last -> id <= last);
            require(
                    state == JobState.CANCELLED && order == AfterFailure.CANCEL_REST && ofTheRest,
                    "%d never began, and is %s",
                    id,
                    state);
            return;
        }
        require(job.end == state, "%d is %s, after %d attempts %s", id, state, job.attempts, job.end);
        if (order == AfterFailure.CANCEL_REST) {
            lastOfFailed.forEach((failed, last) -> require(
                    id > last || job.place < Objects.requireNonNull(jobs.get(failed)).failedAt,
                    "%d is of the rest of %d, and began",
                    id,
                    failed));
        }
    }

    /** All that was broken. In a queue in order, that includes keys whose jobs did not begin in the order of their enqueues. */
    synchronized List<String> broken() {
        if (order != null) {
            List<Begun> inTurn = jobs.values().stream()
                    .sorted(Comparator.comparingInt(job -> job.place))
                    .toList();
            for (Begun late : inTurn) {
                inTurn.stream()
                        .takeWhile(early -> early != late)
                        .filter(early -> !late.key.isEmpty() && early.key.equals(late.key) && !late.work.later())
                        .forEach(early -> require(
                                late.id > early.id || late.work.priority() < early.work.priority(),
                                "%d of %s began before %d",
                                early.id,
                                late.key,
                                late.id));
            }
        }
        return List.copyOf(broken);
    }

    /** How many ran at once. */
    synchronized int most() {
        return most;
    }

    /** The same by key. */
    synchronized Map<String, Integer> mostOfKeys() {
        Map<String, Integer> keys = new HashMap<>(mostOfKey);
        keys.remove("");
        return keys;
    }

    /** How many attempts of each job have ended. */
    synchronized Map<Long, Integer> attempts() {
        Map<Long, Integer> attempts = new HashMap<>();
        jobs.forEach((id, job) -> attempts.put(id, job.attempts));
        return attempts;
    }

    private void require(boolean holds, String otherwise, @Nullable Object... values) {
        if (!holds) {
            broken.add(otherwise.formatted(values));
        }
    }
}
