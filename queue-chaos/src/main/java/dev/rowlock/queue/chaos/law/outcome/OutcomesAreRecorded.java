package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * While nothing is wrong, a node whose handler has ended writes that down, or loses its lease, and with it the job: a node
 * that beats and cannot record would keep its jobs for ever. Jobs of the type that the server is made to refuse are left out: that
 * goes on when nothing else is wrong, and as long as it does, their outcomes stay set aside.
 */
final class OutcomesAreRecorded implements Law {

    private static final String NAME = "who cannot record does not keep its lease";

    /** More than a lease, and what it takes to notice. */
    private static final long BOUND = Duration.ofSeconds(9).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Peace peace = Peace.of(history);
        if (peace.calm().longest() <= BOUND) {
            return Stream.empty();
        }
        Claims claims = Claims.of(history);
        Jobs jobs = Jobs.of(history);
        Map<String, List<Violation>> byNode = new TreeMap<>();
        for (End end : history.ends()) {
            Claims.Claim claim = claims.byToken().get(end.token());
            if (claim == null
                    || jobs.cursed(end.job())
                    || (claim.exit() != null && claim.exit().nanos() - end.nanos() <= BOUND)) {
                continue;
            }
            long until =
                    claim.exit() == null ? Long.MAX_VALUE / 4 : claim.exit().nanos();
            Spans kept = Spans.of(List.of(new Span(end.nanos(), until)))
                    .and(peace.calm())
                    .and(peace.awake(end.node()));
            if (kept.longest() > BOUND) {
                byNode.computeIfAbsent(end.node(), node -> new ArrayList<>())
                        .add(Violation.of(
                                NAME,
                                "%s had ended job %d (token %d) and kept it for %d ms",
                                end.node(),
                                end.job(),
                                end.token(),
                                kept.longest() / 1_000_000));
            }
        }
        return byNode.values().stream()
                .flatMap(violations -> violations.stream().limit(3));
    }
}
