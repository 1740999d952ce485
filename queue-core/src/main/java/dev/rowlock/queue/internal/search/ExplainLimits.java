package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says which limits, rates and policies hold up a job, and whose jobs fill them: from the row of {@link ExplainJob}. */
final class ExplainLimits {

    /** Jobs that are named: those that run longest. */
    static final int MOST = 10;

    private ExplainLimits() {}

    static void addLimits(ResultSet row, List<Reason> reasons) throws SQLException {
        Integer ofQueue = integer(row, "max_running");
        int running = row.getInt("running");
        if (ofQueue != null && running >= ofQueue) {
            reasons.add(reason(
                    Kind.QUEUE_FULL,
                    "%s of queue '%s' %s (%s), and its limit is %d.",
                    CountText.of(running, "job"),
                    row.getString("queue"),
                    running == 1 ? "runs" : "run",
                    ids((Long[]) row.getArray("of_queue").getArray(), running),
                    ofQueue));
        }
        Integer ofKey = integer(row, "max_running_per_key");
        if (ofKey != null && row.getArray("of_key") != null) {
            Long[] holders = (Long[]) row.getArray("of_key").getArray();
            Integer burst = integer(row, "burst_per_key");
            if (holders.length >= ofKey) {
                reasons.add(full(ofKey, burst == null ? ofKey : Math.max(ofKey, burst), holders, idle(row, ofQueue)));
            }
        }
    }

    /** Whether something limits how many jobs run at once. */
    static boolean any(ResultSet row) throws SQLException {
        return integer(row, "max_running") != null || integer(row, "max_running_per_key") != null;
    }

    private static Reason full(int limit, int burst, Long[] holders, @Nullable Integer idle) {
        int running = holders.length;
        String run = "%s of its key %s (%s)"
                .formatted(CountText.of(running, "job"), running == 1 ? "runs" : "run", ids(holders, running));
        String all = run + (running == limit ? ", which is its limit" : ", and its limit is " + limit);
        if (burst == limit) {
            return reason(Kind.KEY_FULL, "%s.", all);
        }
        if (running >= burst) {
            return reason(Kind.KEY_FULL, "%s: the limit is %d, and its burst of %d is used up.", run, limit, burst);
        }
        int more = burst - running;
        return reason(
                Kind.KEY_BURST,
                "%s. It may borrow %s when nobody else wants %s%s.",
                all,
                more == 1 ? "1 more place" : "up to " + more + " more places",
                more == 1 ? "it" : "them",
                idle == null ? "" : "; " + (idle > 0 ? idle : "none") + (idle > 1 ? " are" : " is") + " idle now");
    }

    private static String ids(Long[] holders, int running) {
        List<String> named =
                Arrays.stream(holders).limit(MOST).map(String::valueOf).toList();
        String some = String.join(", ", named);
        return named.size() == running ? some : some + " and " + (running - named.size()) + " more";
    }

    /** How many places nobody uses; null: a node does not say how many it has. */
    private static @Nullable Integer idle(ResultSet row, @Nullable Integer ofQueue) throws SQLException {
        Integer idle = integer(row, "idle_slots");
        if (idle == null) {
            return null;
        }
        return Math.max(0, ofQueue == null ? idle : Math.min(idle, ofQueue - row.getInt("running")));
    }

    private static @Nullable Integer integer(ResultSet row, String column) throws SQLException {
        return Columns.integer(row, row.findColumn(column));
    }

    // Rates

    /**
     * What the state of one rate says.
     *
     * @param waits in how many seconds the next job may begin, leaving slow-downs aside; 0: now
     * @param nextIn the same, leaving the burst aside as well
     * @param heldFor nothing begins for so many seconds, because somebody has said so; 0: no such time
     */
    private record RateState(int jobs, long millis, int burst, double waits, double nextIn, double heldFor) {

        static RateState of(ResultSet row, String of) throws SQLException {
            return new RateState(
                    row.getInt(of + "_rate_jobs"),
                    row.getLong(of + "_rate_millis"),
                    row.getInt(of + "_rate_burst"),
                    Math.max(0, row.getDouble(of + "_waits")),
                    Math.max(0, row.getDouble(of + "_next_in")),
                    Math.max(0, row.getDouble(of + "_held_for")));
        }

        /** In how many seconds a job may begin at the earliest that comes after so many others. */
        double earliest(long before) {
            if (jobs == 0) {
                return 0;
            }
            double each = millis / 1_000.0 / jobs;
            double behind = Math.max(0, nextIn - heldFor) + (before - burst + 1) * each;
            return heldFor + Math.max(0, behind);
        }
    }

    static void addRates(ResultSet row, List<Reason> reasons) throws SQLException {
        addRate(row, "queue", "Queue '%s'".formatted(row.getString("queue")), reasons);
        addRate(
                row,
                "key",
                "Key '%s' of queue '%s'".formatted(row.getString("job_key"), row.getString("queue")),
                reasons);
    }

    private static void addRate(ResultSet row, String of, String gate, List<Reason> reasons) throws SQLException {
        RateState state = RateState.of(row, of);
        if (state.heldFor() > 0) {
            reasons.add(reason(
                    Kind.RATE,
                    "%s is slowed down until %s, for another %s.",
                    gate,
                    row.getString(of + "_held_until"),
                    seconds(state.heldFor())));
        }
        if (state.waits() > state.heldFor()) {
            reasons.add(reason(
                    Kind.RATE,
                    "The rate of its %s, %s, allows the next job in %s.",
                    of,
                    new Rate(state.jobs(), Duration.ofMillis(state.millis()), state.burst()),
                    seconds(state.waits())));
        }
    }

    /** In how many seconds rates and slow-downs let a job begin at the earliest that comes after so many others; 0: now. */
    static double earliest(ResultSet row, long before) throws SQLException {
        return Math.max(
                RateState.of(row, "queue").earliest(before),
                RateState.of(row, "key").earliest(before));
    }

    /** For how many seconds nothing begins, because somebody has said so. */
    static double heldFor(ResultSet row) throws SQLException {
        return Math.max(
                RateState.of(row, "queue").heldFor(), RateState.of(row, "key").heldFor());
    }

    // Policies

    /** How it stands with the policy that has not chosen a job yet. */
    static Reason policy(ResultSet row) throws SQLException {
        return reason(Kind.POLICY, "%s", policyText(row));
    }

    private static String policyText(ResultSet row) throws SQLException {
        String queue = row.getString("queue");
        String node = row.getString("policy_node");
        String asked = node == null ? "which no node asks now" : "asked by node '" + node + "'";
        if (row.getString("policy_until") == null) {
            return "No node has the policy of queue '%s' any more, so its jobs go on without it.".formatted(queue);
        }
        if (row.getString("in_order") != null) {
            return "The policy of queue '%s' is not asked, because the jobs of each key run in order: its jobs go on without it."
                    .formatted(queue);
        }
        if (!row.getBoolean("policy_decides")) {
            return "The policy of queue '%s', %s, has given no good answer since %s: its jobs go on without it."
                    .formatted(queue, asked, row.getString("policy_since"));
        }
        if (node == null || row.getBoolean("policy_fails")) {
            return "The policy of queue '%s', %s, has given no good answer since %s; at %s its jobs go on without it."
                    .formatted(queue, asked, row.getString("policy_since"), row.getString("policy_until"));
        }
        return "The policy of queue '%s', %s, has not chosen it yet; it last answered %s ago."
                .formatted(queue, asked, seconds(Math.max(0, row.getDouble("policy_age"))));
    }

    // Words

    static Reason reason(Kind kind, String text, Object... values) {
        return new Reason(kind, String.format(Locale.ROOT, text, values));
    }

    /** A short time with a tenth, a longer one without. */
    static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    }
}
