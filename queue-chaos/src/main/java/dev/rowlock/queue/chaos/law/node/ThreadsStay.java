package dev.rowlock.queue.chaos.law.node;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.stream.Stream;

/** No thread of Rowlock's own ends before its node is stopped. */
final class ThreadsStay implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        return history.signs().gone().stream()
                .map(gone -> Violation.of("no thread of ours is gone", "%s has no %s", gone.node(), gone.thread()));
    }
}
