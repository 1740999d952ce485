package dev.rowlock.queue.internal.search;

import static dev.rowlock.queue.internal.search.Sentence.reason;
import static dev.rowlock.queue.internal.search.Sentence.seconds;

import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Says how it stands with the policy that has not chosen a job yet. */
final class ExplainPolicy {

    private ExplainPolicy() {}

    static Reason of(ResultSet row) throws SQLException {
        return reason(Kind.POLICY, "%s", text(row));
    }

    private static String text(ResultSet row) throws SQLException {
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
}
