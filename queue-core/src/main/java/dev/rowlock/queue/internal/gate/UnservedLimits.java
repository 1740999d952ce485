package dev.rowlock.queue.internal.gate;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns, once for each queue, when a limit or a weight is set at run time for a queue that no node serves: the name may be misspelt. Its
 * nodes may be deployed later as well, so nothing is refused. Thread-safe.
 */
final class UnservedLimits {

    private static final Logger log = LoggerFactory.getLogger(UnservedLimits.class);

    /** So many queues, at most: names may be made up without end. */
    private static final int MOST = 1_000;

    /** Queues that are named, at most. */
    private static final int NAMED = 50;

    private final LimitStatements find;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    UnservedLimits(LimitStatements find) {
        this.find = find;
    }

    /** @param rule what the queue has got */
    void warnOnce(String queue, String rule) {
        if (warned.contains(queue) || warned.size() >= MOST) {
            return;
        }
        List<String> served = find.servedQueues();
        // Where no node lives, an application may not have started yet.
        if (!served.isEmpty() && !served.contains(queue) && warned.add(queue)) {
            log.warn(
                    "queue '{}' has got {}, and no node serves that queue now; nodes serve {}{}. If its name is misspelt, take it back",
                    queue,
                    rule,
                    served.subList(0, Math.min(NAMED, served.size())),
                    served.size() > NAMED ? " and " + (served.size() - NAMED) + " more" : "");
        }
    }
}
