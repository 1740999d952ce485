package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.gate.ForgetPolicies;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forgets policies that no node has any more, one node for all. */
final class ForgottenPoliciesChore implements Chore {

    private static final Logger log = LoggerFactory.getLogger(ForgottenPoliciesChore.class);

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TakeChore chore;
    private final ForgetPolicies forget;
    private final Wakeups wakeups;

    ForgottenPoliciesChore(TakeChore chore, ForgetPolicies forget, Wakeups wakeups) {
        this.chore = chore;
        this.forget = forget;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "policies";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            for (String queue : forget.run()) {
                log.info("queue '{}': no node has its policy any more, its jobs run in their normal order", queue);
                wakeups.keysReady(queue);
                wakeups.jobsReady(queue, 0, 1);
            }
        }
        return INTERVAL;
    }
}
