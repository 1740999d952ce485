package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Work.Gated;
import dev.rowlock.queue.chaos.load.Work.Lent;
import dev.rowlock.queue.chaos.load.Work.Ordered;
import dev.rowlock.queue.chaos.load.Work.Rated;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import java.time.Duration;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets the rules of the queues that have some, and changes those of one of them now and then. Not thread-safe. */
final class Rules {

    /** Long enough for most of that time to lie behind the claims that were under way. */
    private static final Duration BETWEEN = Duration.ofSeconds(9);

    private static final Logger log = LoggerFactory.getLogger(Rules.class);

    private final QueueLimits limits;
    private long changed = System.nanoTime();

    Rules(QueueLimits limits) {
        this.limits = limits;
    }

    /** Before there are jobs in these queues. */
    void set() {
        Recurrences.persistently(() -> limits.set(QueueLimit.of(Ordered.QUEUE).inOrder(AfterFailure.CONTINUE)));
        Recurrences.persistently(() -> limits.set(QueueLimit.of(Lent.QUEUE)
                .maxRunning(Lent.MAX_RUNNING)
                .maxRunningPerKey(Lent.MAX_RUNNING_PER_KEY)
                .burstPerKey(Lent.BURST_PER_KEY)));
        Recurrences.persistently(() -> limits.set(
                QueueLimit.of(Gated.QUEUE).maxRunning(Gated.MAX_RUNNING).maxRunningPerKey(Gated.MAX_RUNNING_PER_KEY)));
        Recurrences.persistently(() -> limits.weight(Gated.QUEUE, Gated.key(0), 2));
        Recurrences.persistently(() -> limits.set(QueueLimit.of(Rated.QUEUE)
                .maxRunning(Rated.MAX_RUNNING)
                .maxRunningPerKey(Rated.MAX_RUNNING_PER_KEY)
                .rate(Rated.RATE)
                .ratePerKey(Rated.RATE_PER_KEY)));
    }

    /** Raises or lowers a limit now and then, while jobs run that were claimed under another one. */
    void next(Random random) {
        if (System.nanoTime() - changed < BETWEEN.toNanos()) {
            return;
        }
        changed = System.nanoTime();
        int ofQueue = Gated.MAX_RUNNING - 1 + random.nextInt(3);
        int ofKey = Gated.MAX_RUNNING_PER_KEY - random.nextInt(2);
        try {
            limits.change(Gated.QUEUE, limit -> limit.maxRunning(ofQueue).maxRunningPerKey(ofKey));
        } catch (RuntimeException e) {
            log.debug("the database may be away; whether the limit was changed, it will say itself", e);
        }
    }
}
