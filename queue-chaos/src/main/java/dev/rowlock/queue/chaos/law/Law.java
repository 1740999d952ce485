package dev.rowlock.queue.chaos.law;

import dev.rowlock.queue.chaos.history.History;
import java.util.stream.Stream;

/** Finds where a promise was broken, which must hold whatever happens. A pure function. */
public interface Law {

    Stream<Violation> broken(History history);
}
