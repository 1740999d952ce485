package dev.rowlock.queue.internal.result;

import java.util.LinkedHashSet;
import java.util.Set;

/** Jobs that other processes have announced to wait for. Bounded: the oldest are forgotten, and announced again. Thread-safe. */
final class AwaitedElsewhere {

    static final int ROOM = 20_000;

    private final Set<Long> ids = new LinkedHashSet<>(); // guarded by this
    private volatile boolean any; // written under the monitor

    synchronized void add(long[] more) {
        for (long id : more) {
            ids.remove(id); // what is announced again is young
            ids.add(id);
        }
        while (ids.size() > ROOM) {
            ids.remove(ids.iterator().next());
        }
        any = !ids.isEmpty();
    }

    synchronized boolean contains(long id) {
        return ids.contains(id);
    }

    /** Whether it is one of them; it is none any more. */
    boolean remove(long id) {
        return any && removed(id);
    }

    private synchronized boolean removed(long id) {
        boolean removed = ids.remove(id);
        any = !ids.isEmpty();
        return removed;
    }
}
