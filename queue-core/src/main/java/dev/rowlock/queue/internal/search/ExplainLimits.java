package dev.rowlock.queue.internal.search;

import static dev.rowlock.queue.internal.search.Sentence.reason;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which limits on jobs that run at once hold up a ready job, and whose jobs fill them. */
final class ExplainLimits {

    /** Jobs that are named: those that run longest. */
    static final int MOST = 10;

    private ExplainLimits() {}

    static void add(ResultSet row, List<Reason> reasons) throws SQLException {
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
}
