package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.policy.PolicyStatements.Gone;
import dev.rowlock.queue.internal.policy.PolicyStatements.Standing;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads on each node which policies decide, and makes jobs ready whose policy has stopped answering. */
final class PoliciesChore implements Chore {

    private static final Logger log = LoggerFactory.getLogger(PoliciesChore.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** Where there are no policies: each node looks, whether or not it will ever meet one. */
    private static final Duration WITHOUT = Duration.ofSeconds(5);

    private static final Duration FORGET = Duration.ofMinutes(1);
    private static final int BATCH = 500;

    private final PolicyQueues held;
    private final PolicyStatements statements;
    private final Wakeups wakeups;
    private final Set<String> told = new HashSet<>(); // queues that go on without their policy
    private final Map<String, RefusedJobs> refused = new HashMap<>(); // by queue
    private long forgetAt = System.nanoTime() + FORGET.toNanos();

    PoliciesChore(PolicyQueues held, PolicyStatements statements, Wakeups wakeups) {
        this.held = held;
        this.statements = statements;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "policies";
    }

    @Override
    public Duration runOnce() {
        List<Standing> all = held.look();
        boolean more = false;
        for (Standing standing : all) {
            if (standing.decides()) {
                told.remove(standing.queue());
            } else {
                more |= letGo(standing.queue());
            }
        }
        if (!all.isEmpty() && System.nanoTime() - forgetAt >= 0) {
            forgetAt = System.nanoTime() + FORGET.toNanos();
            statements.forget().forEach(queue -> log.info("queue '{}': no node has its policy any more", queue));
        }
        return more ? Duration.ZERO : all.isEmpty() ? WITHOUT : INTERVAL;
    }

    /** One that the server refuses must not keep the others. Returns whether there may be more. */
    private boolean letGo(String queue) {
        RefusedJobs aside = refused.computeIfAbsent(
                queue, name -> new RefusedJobs("that a policy has not chosen cannot become ready without it"));
        if (aside.isDue()) {
            aside.tryAgain(ids -> tell(queue, statements.letNamedGo(queue, ids)), BATCH);
        }
        try {
            Gone gone = statements.letGo(queue, BATCH, aside.ids());
            tell(queue, gone);
            return gone.seen() >= BATCH;
        } catch (RuntimeException e) {
            return aside.apart(
                    () -> statements.names(queue, BATCH, aside.ids()),
                    ids -> tell(queue, statements.letNamedGo(queue, ids)),
                    e);
        }
    }

    private void tell(String queue, Gone gone) {
        if (gone.jobs() == 0) {
            return;
        }
        if (told.add(queue)) {
            log.warn(
                    "queue '{}': its policy gives no answers, or no node asks it; its jobs run in their normal order",
                    queue);
        }
        new ReadyJobs(queue, gone.rank(), gone.jobs(), gone.keys()).wakeBack(wakeups);
    }
}
