package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * No two handlers in one claim; no handler without one; nothing completes that did not run. Handlers of two claims of
 * a job may overlap only if the first claim was taken away: then its handler is a zombie, whose outcome is refused.
 */
final class OneHandlerPerClaim implements Law {

    private static final String NAME = "one handler per claim";

    @Override
    public Stream<Violation> broken(History history) {
        Claims claims = Claims.of(history);
        Map<Long, End> ends =
                history.ends().stream().collect(Collectors.toMap(End::token, Function.identity(), (a, b) -> a));
        Map<Long, Start> starts = new HashMap<>();
        List<Violation> broken = new ArrayList<>();
        for (Start start : history.starts()) {
            Start other = starts.putIfAbsent(start.token(), start);
            if (other != null) {
                broken.add(
                        Violation.of(NAME, "token %d ran on %s and on %s", start.token(), other.node(), start.node()));
            }
            Claims.Claim claim = claims.byToken().get(start.token());
            if (claim == null
                    || claim.taken().job() != start.job()
                    || claim.taken().attempt() != start.attempt()
                    || claim.taken().crashes() != start.crashes()) {
                broken.add(Violation.of(NAME, "%s was not claimed like that: %s", start, claim));
            }
        }
        claims.byToken().forEach((token, claim) -> {
            End end = ends.get(token);
            if (handled(claim, "completed") && (end == null || !end.how().equals("returned"))) {
                broken.add(Violation.of(
                        NAME,
                        "job %d completed under token %d although its handler %s",
                        claim.taken().job(),
                        token,
                        end == null ? "never ended" : "threw " + end.how()));
            }
        });
        starts.values().stream()
                .collect(Collectors.groupingBy(Start::job))
                .values()
                .forEach(runs -> broken.addAll(overlaps(runs, claims, ends)));
        return broken.stream();
    }

    private static List<Violation> overlaps(List<Start> runs, Claims claims, Map<Long, End> ends) {
        List<Violation> broken = new ArrayList<>();
        List<Start> ordered =
                runs.stream().sorted(Comparator.comparingLong(Start::token)).toList();
        for (int i = 1; i < ordered.size(); i++) {
            Start before = ordered.get(i - 1);
            End end = ends.get(before.token());
            Claims.@Nullable Claim claim = claims.byToken().get(before.token());
            boolean decided = handled(claim, "completed", "retry", "snooze", "failed");
            if (claim != null && decided && ended(end, claim) > ordered.get(i).nanos()) {
                broken.add(Violation.of(
                        NAME,
                        "job %d: the handler of token %d was still at work when that of %d began",
                        before.job(),
                        before.token(),
                        ordered.get(i).token()));
            }
        }
        return broken;
    }

    /** A handler that an error has hit may leave no line of its end: its own outcome follows it. */
    private static long ended(@Nullable End end, Claims.Claim claim) {
        Move exit = claim.exit();
        return end != null ? end.nanos() : exit == null ? Long.MAX_VALUE : exit.nanos();
    }

    /** Whether the handler's own outcome ended the claim, and was one of these. A deadline that passed may look so too. */
    private static boolean handled(Claims.@Nullable Claim claim, String... details) {
        return claim != null
                && claim.exit() != null
                && List.of(details).contains(claim.exit().detail());
    }
}
