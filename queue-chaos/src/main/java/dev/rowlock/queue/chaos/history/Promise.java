package dev.rowlock.queue.chaos.history;

import java.util.stream.Stream;

/** One of the things that must hold whatever happens. A pure function. */
interface Promise {

    Stream<Violation> broken(History history);
}
