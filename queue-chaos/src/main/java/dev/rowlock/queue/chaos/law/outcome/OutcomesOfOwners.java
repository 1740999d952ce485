package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An outcome that a node was told is recorded is what took the job out of running under that very claim. An outcome
 * accepted from a node that had lost its claim would stand beside the rescue that took the job from it.
 *
 * <p>The reverse does not hold: a node that is told {@code lost} may have been recorded all the same, where the answer
 * to a commit got lost and the second try found the work done.
 */
final class OutcomesOfOwners implements Law {

    private static final String NAME = "outcomes only from owners";

    @Override
    public Stream<Violation> broken(History history) {
        Claims claims = Claims.of(history);
        List<Violation> broken = new ArrayList<>();
        Set<Long> accepted = new HashSet<>();
        for (Said said : history.said()) {
            if (said.label().equals("lost")) {
                continue;
            }
            if (!accepted.add(said.token())) {
                broken.add(
                        Violation.of(NAME, "job %d: two outcomes of token %d were accepted", said.job(), said.token()));
            }
            Claims.Claim claim = claims.byToken().get(said.token());
            Move exit = claim == null ? null : claim.exit();
            if (claim == null || exit == null || exit.job() != said.job() || !fits(said.label(), claim.taken(), exit)) {
                broken.add(Violation.of(
                        NAME,
                        "%s was told that '%s' of job %d, token %d is recorded, but what happened is %s",
                        said.node(),
                        said.label(),
                        said.job(),
                        said.token(),
                        exit));
            }
        }
        return broken.stream();
    }

    /** A cancel request turns everything that would have run again into cancelled. */
    private static boolean fits(String label, Move taken, Move exit) {
        if (exit.crashes() != taken.crashes()) {
            return false; // that was a rescue
        }
        boolean cancelled = exit.room().equals("done") && exit.detail().equals("cancelled");
        return switch (label) {
            case "completed" -> is(exit, "done", "completed");
            case "cancelled" -> cancelled;
            case "failed" -> is(exit, "dead", "dead");
            case "retried" -> cancelled || is(exit, "waiting", "retry");
            case "snoozed" -> cancelled || is(exit, "waiting", "snooze");
            case "set-aside" -> cancelled || is(exit, "waiting", "crash") || is(exit, "waiting", "not-started");
            case "unknown-type" -> cancelled || is(exit, "waiting", "unknown-type");
            case "released" -> cancelled || exit.room().equals("ready");
            default -> false;
        };
    }

    private static boolean is(@Nullable Move exit, String room, String detail) {
        return exit != null && exit.room().equals(room) && exit.detail().equals(detail);
    }
}
