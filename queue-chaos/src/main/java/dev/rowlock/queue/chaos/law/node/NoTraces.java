package dev.rowlock.queue.chaos.law.node;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.stream.Stream;

/** User code leaves nothing behind on a thread of Rowlock's: what one job's handler does, the next one's does not find. */
final class NoTraces implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        return history.signs().traces().stream()
                .map(trace -> Violation.of("user code leaves no trace", "%s: %s", trace.node(), trace.what()));
    }
}
