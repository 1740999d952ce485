package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.InOrder;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.stream.Stream;

/** Where keys are in order, no job begins while another one of its key has begun and not ended, over all nodes, whatever dies. */
final class OrderHolds implements Law {

    private static final String NAME = "order holds";

    @Override
    public Stream<Violation> broken(History history) {
        return InOrder.of(history).overtaken().stream()
                .map(overtaken -> Violation.of(
                        NAME,
                        "job %d was claimed under token %d while job %d of its key, which had begun, lay in %s %s for %.1f ms",
                        overtaken.claim().job(),
                        overtaken.claim().token(),
                        overtaken.other().job(),
                        overtaken.other().room(),
                        overtaken.other().detail(),
                        (overtaken.claim().nanos() - overtaken.other().nanos()) / 1e6));
    }
}
