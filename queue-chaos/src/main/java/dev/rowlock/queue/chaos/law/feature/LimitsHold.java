package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.Gated;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.stream.Stream;

/** Never do more jobs of a queue, or of a key, run at once than its limits allow, over all nodes, whatever dies. */
final class LimitsHold implements Law {

    private static final String NAME = "limits hold";

    @Override
    public Stream<Violation> broken(History history) {
        return Stream.of(Gated.of(history), Gated.lent(history))
                .flatMap(gated -> gated.crowds().stream())
                .map(crowd -> Violation.of(
                        NAME,
                        "%d jobs of %s ran at once when job %d was claimed under token %d",
                        crowd.running(),
                        crowd.key().isEmpty() ? "the queue" : "key '%s'".formatted(crowd.key()),
                        crowd.last().job(),
                        crowd.last().token()));
    }
}
