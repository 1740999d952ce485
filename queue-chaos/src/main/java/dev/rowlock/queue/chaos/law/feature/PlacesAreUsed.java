package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.Busy;
import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.Claims.Claim;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Trouble;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Work;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All rules of a queue let a job begin at once, or none does: while nothing is wrong, no job occupies a place and does not begin, as one would that had a place and
 * waited for its rate.
 */
final class PlacesAreUsed implements Law {

    private static final String NAME = "places are used";

    /** What is claimed begins, or goes back, within about a second; the rest is for busy machines. */
    private static final long BOUND = Duration.ofSeconds(4).toNanos();

    private static final Set<String> WITH_PLACES =
            Set.of(Work.Gated.QUEUE, Work.Lent.QUEUE, Work.Rated.QUEUE, Work.Ordered.QUEUE);

    @Override
    public Stream<Violation> broken(History history) {
        Claims claims = Claims.of(history);
        Map<Long, Start> starts =
                history.starts().stream().collect(Collectors.toMap(Start::token, Function.identity(), (a, b) -> a));
        Spans calm = Peace.of(history)
                .calm()
                .minus(Trouble.of(Jobs.of(history), history.starts(), Busy.ends(history, claims)));
        return claims.byToken().values().stream()
                .filter(claim -> WITH_PLACES.contains(claim.taken().queue()))
                .filter(claim ->
                        idle(claim, starts.get(claim.taken().token())).and(calm).longest() > BOUND)
                .map(claim -> Violation.of(
                        NAME,
                        "job %d of queue '%s' had a place under token %d and did not begin",
                        claim.taken().job(),
                        claim.taken().queue(),
                        claim.taken().token()));
    }

    /** From its claim until it begins, or is taken out of running. */
    private static Spans idle(Claim claim, @Nullable Start start) {
        long exit = claim.exit() == null ? Spans.EVER : claim.exit().nanos();
        return Spans.of(claim.taken().nanos(), start == null ? exit : Math.min(exit, start.nanos()));
    }
}
