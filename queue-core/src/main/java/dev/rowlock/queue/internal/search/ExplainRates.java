package dev.rowlock.queue.internal.search;

import static dev.rowlock.queue.internal.search.Sentence.reason;
import static dev.rowlock.queue.internal.search.Sentence.seconds;

import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Says which rates hold up a ready job, and who has slowed them down. */
final class ExplainRates {

    private ExplainRates() {}

    /**
     * What the state of one rate says.
     *
     * @param waits in how many seconds the next job may begin, leaving slow-downs aside; 0: now
     * @param nextIn the same, leaving the burst aside as well
     * @param heldFor nothing begins for so many seconds, because somebody has said so; 0: no such time
     */
    private record State(int jobs, long millis, int burst, double waits, double nextIn, double heldFor) {

        static State of(ResultSet row, String of) throws SQLException {
            return new State(
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

    static void add(ResultSet row, List<Reason> reasons) throws SQLException {
        add(row, "queue", "Queue '%s'".formatted(row.getString("queue")), reasons);
        add(row, "key", "Key '%s' of queue '%s'".formatted(row.getString("job_key"), row.getString("queue")), reasons);
    }

    private static void add(ResultSet row, String of, String gate, List<Reason> reasons) throws SQLException {
        State state = State.of(row, of);
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
                State.of(row, "queue").earliest(before), State.of(row, "key").earliest(before));
    }

    /** For how many seconds nothing begins, because somebody has said so. */
    static double heldFor(ResultSet row) throws SQLException {
        return Math.max(State.of(row, "queue").heldFor(), State.of(row, "key").heldFor());
    }
}
