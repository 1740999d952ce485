package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.Rated;
import dev.rowlock.queue.chaos.history.Rated.Claim;
import dev.rowlock.queue.chaos.history.Rated.Gate;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * In no time, however short or long, are more jobs of a queue, or of a key, claimed than its rate allows in that time and its burst besides, over all nodes, whatever
 * dies. Times in which the server's clock was set are left out.
 *
 * <p>A claim decides after the one before it under the same rate has moved its jobs, and before it moves its own: so no time that is looked at here is shorter than
 * the one that the database has seen.
 */
final class RatesHold implements Law {

    private static final String NAME = "rates hold";

    /** Of the clock by which moves are noted. */
    private static final long RESOLUTION = Duration.ofMillis(10).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        List<Strike> steps = history.strikes().stream()
                .filter(strike -> strike.fault().contains("CLOCK")
                        || strike.fault().contains("WEEK") // the clock was set while nobody was there
                        || strike.fault().equals("SERVER_HANGS"))
                .toList();
        return Rated.of(history).gates().values().stream().flatMap(gate -> broken(gate, steps));
    }

    private static Stream<Violation> broken(Gate gate, List<Strike> steps) {
        double each = Rated.nanosEach(gate.rate());
        List<Violation> violations = new ArrayList<>();
        double begin =
                Double.NEGATIVE_INFINITY; // of the time that looks worst: what the rate had allowed by then, less
        // what had
        // been claimed
        long jobs = 0;
        @Nullable Claim before = null;
        for (Claim claim : gate.claims()) {
            if (before != null) {
                if (anyWithin(steps, before.last(), claim.last())) {
                    begin = Double.NEGATIVE_INFINITY;
                }
                begin = Math.max(begin, before.last() / each - jobs);
            }
            jobs += claim.jobs();
            double tooMany = begin
                    + jobs
                    - (claim.first() + RESOLUTION) / each
                    - gate.rate().burst();
            if (tooMany > 0) {
                violations.add(Violation.of(
                        NAME,
                        "%d jobs of %s were claimed at once, %.2f more than %s allows in some time that ended then",
                        claim.jobs(),
                        gate.key().isEmpty() ? "the queue" : "key '%s'".formatted(gate.key()),
                        tooMany,
                        gate.rate()));
                begin = Double.NEGATIVE_INFINITY;
            }
            before = claim;
        }
        return violations.stream();
    }

    private static boolean anyWithin(List<Strike> steps, long from, long to) {
        return steps.stream().anyMatch(step -> step.from() <= to && step.to() >= from);
    }
}
