package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outcomes that are refused: the claim was lost, or an earlier try was committed and only its answer got lost, or that of a
 * transactional listener's commit. What stands in done is certain; all else counts as refused, so that observers hear of no outcome that is not.
 */
public final class AmbiguousCommits {

    private static final Logger log = LoggerFactory.getLogger(AmbiguousCommits.class);

    // A job that rescue took and cancelled lies there too, under the same token: it has one crash more than its claim
    // had.
    private static final String DONE = """
            SELECT d.token, d.state
              FROM rowlock.done_jobs(:jobs) AS d, unnest(:tokens::bigint[], :crashes::smallint[]) AS o (token, crashes)
             WHERE d.token = o.token AND d.crashes = o.crashes
            """;

    private final Database database;

    public AmbiguousCommits(Database database) {
        this.database = database;
    }

    /** Moves what is recorded after all, as it is recorded, from the refused to the recorded. */
    OutcomeWriter.Written resolve(OutcomeWriter.Written written) {
        if (written.refused().isEmpty()) {
            return written;
        }
        Map<Long, JobState> done = done(written.refused());
        List<PendingOutcome> recorded = new ArrayList<>(written.recorded());
        List<PendingOutcome> refused = new ArrayList<>();
        for (PendingOutcome entry : written.refused()) {
            JobState state = done.get(entry.job().claim().token());
            if (state == null) {
                refused.add(entry);
            } else {
                recorded.add(entry.as(outcome(entry.outcome(), state)));
            }
        }
        return new OutcomeWriter.Written(
                recorded, refused, written.blocked(), written.unwritable(), written.failed(), written.failure());
    }

    private static Outcome outcome(Outcome tried, JobState state) {
        if (state == JobState.CANCELLED) {
            return new Outcome.Cancelled();
        }
        // Otherwise a transactional listener whose commit succeeded, though it was told that it did not.
        return tried instanceof Outcome.Completed ? tried : new Outcome.AlreadyCompleted();
    }

    private Map<Long, JobState> done(List<PendingOutcome> entries) {
        try {
            return ended(entries.stream().map(PendingOutcome::job).toList());
        } catch (RuntimeException e) {
            log.debug("what became of {} outcomes cannot be told", entries.size(), e);
            return Map.of();
        }
    }

    /**
     * Tells which claims ended in done by an outcome of their own, for whoever did not get the answer when they did: completed or cancelled by token;
     * nothing for other jobs, nor where done jobs are not kept.
     */
    private Map<Long, JobState> ended(List<ClaimedJob> jobs) {
        return database.alone(connection -> {
            Map<Long, JobState> states = new HashMap<>();
            ColdStatement.on(connection, database.sql(DONE))
                    .set("jobs", Columns.longs(jobs, ClaimedJob::id))
                    .set("tokens", Columns.longs(jobs, job -> job.claim().token()))
                    .set("crashes", Columns.shorts(jobs, ClaimedJob::crashes))
                    .list(row -> states.put(row.getLong(1), JobState.of(row.getString(2))));
            return states;
        });
    }
}
