package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import java.util.ArrayList;
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

    private final HeldClaims claims;

    public AmbiguousCommits(HeldClaims claims) {
        this.claims = claims;
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
            return claims.done(entries.stream().map(PendingOutcome::job).toList());
        } catch (RuntimeException e) {
            log.debug("what became of {} outcomes cannot be told", entries.size(), e);
            return Map.of();
        }
    }
}
