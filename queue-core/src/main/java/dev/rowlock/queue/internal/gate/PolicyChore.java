package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.gate.AdmitJobs;
import dev.rowlock.queue.internal.store.gate.FindCandidates;
import dev.rowlock.queue.internal.store.gate.FindCandidates.Figures;
import dev.rowlock.queue.internal.store.gate.FindCandidates.Page;
import dev.rowlock.queue.internal.store.gate.FindCandidates.Place;
import dev.rowlock.queue.internal.store.gate.TakePolicy;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one policy on this node, if no other node does, and notes what it chooses. It looks again and again: no wake-up can be lost. An answer
 * holds back the other jobs for some seconds, and only further answers renew that. So whatever becomes of the policy or of
 * its node, the jobs go on.
 */
final class PolicyChore implements Chore {

    private static final Logger log = LoggerFactory.getLogger(PolicyChore.class);

    private static final Duration TICK = Duration.ofMillis(50);
    private static final Duration OTHERS = Duration.ofSeconds(1);
    private static final int MOST = 1_000;
    private static final int MOST_FAILED = 6;

    /** Chosen jobs that nobody claims for so long are given back to the policy: they may belong to types that nobody runs. */
    private static final Duration STUCK = Duration.ofSeconds(5);

    private final String queue;
    private final int concurrency;
    private final OwnNode node;
    private final PolicyCall policy;
    private final PolicyTimes times;
    private final TakePolicy take;
    private final FindCandidates find;
    private final AdmitJobs admit;
    private final Wakeups wakeups;

    private long own; // the node's id while it is this node that asks
    private @Nullable PolicyException failure; // of the last answer; null: it was a good one
    private int failed; // so many times in turn, after answers where no job waited
    private long tryAt; // without waiting jobs: later each time, since jobs wait for a policy that works for no job
    private Place place = Place.FRONT;
    private long askAt = System.nanoTime();
    private int before; // chosen and not claimed, after the last tick
    private double claimed; // each tick, of late
    private long claimedAt = System.nanoTime();

    PolicyChore(
            Policy.Settings settings, OwnNode node, PolicyCall policy, Policy.Statements statements, Wakeups wakeups) {
        this.queue = settings.queue();
        this.concurrency = settings.concurrency();
        this.times = settings.times();
        this.node = node;
        this.policy = policy;
        this.take = statements.take();
        this.find = statements.find();
        this.admit = statements.admit();
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "policy of queue '" + queue + "'";
    }

    @Override
    public boolean punctual() {
        return true;
    }

    @Override
    public Duration runOnce() {
        long nodeId = node.nodeId();
        if (nodeId == 0) {
            return TICK;
        }
        if (own != nodeId || failure != null) {
            own = take.run(queue, nodeId, times.left()) ? nodeId : 0;
        }
        Figures figures = own == 0 && failure == null ? null : find.figures(queue, nodeId);
        if (figures == null || !figures.own()) {
            own = 0;
            return othersAsk(figures);
        }
        if (figures.keysLimited()) {
            failure = new PolicyException(queue, "is not asked, because something limits the keys of the queue", null);
            throw failure;
        }
        return ask(figures, nodeId);
    }

    /** Where this node got no answers, another one may, or not. */
    private Duration othersAsk(@Nullable Figures figures) {
        if (failure != null && figures != null && !figures.held()) {
            throw failure;
        }
        failure = null;
        return OTHERS;
    }

    private Duration ask(Figures figures, long nodeId) {
        int room = room(figures);
        boolean due = System.nanoTime() - askAt >= 0;
        Page page = due && room > 0 ? find.page(queue, place) : new Page(List.of(), place);
        if (page.jobs().isEmpty()) {
            place = due && room > 0 ? Place.FRONT : place;
            if (failure != null && System.nanoTime() - tryAt < 0) {
                throw failure; // nothing has become better
            }
            if (failure != null) {
                answer(page, room, figures); // none is waiting, perhaps because all run without it
            }
            note(nodeId, List.of());
            return TICK;
        }
        Admission answer = answer(page, room, figures);
        failed = 0;
        note(nodeId, answer.jobs());
        askAt = System.nanoTime() + answer.askAgain().toNanos();
        boolean behind = answer.askAgain().isZero() && answer.jobs().size() < room && page.next() != null;
        place = behind && page.next() != null ? page.next() : Place.FRONT;
        return behind ? Duration.ofMillis(1) : TICK;
    }

    private Admission answer(Page page, int room, Figures figures) {
        Admission answer;
        try {
            answer = policy.ask(new AdmissionRequest(
                    page.jobs(),
                    Math.max(0, room),
                    figures.admitted(),
                    figures.running(),
                    figures.limit(),
                    figures.now()));
        } catch (PolicyException e) {
            if (failure == null) {
                failed = Math.min(MOST_FAILED, failed + 1);
                tryAt = System.nanoTime() + (times.hold().toNanos() << failed);
            }
            failure = e;
            throw e;
        }
        if (failure != null) {
            failure = null;
            log.info("queue '{}': its policy decides again", queue);
        }
        return answer;
    }

    private void note(long nodeId, List<Long> jobs) {
        int noted = admit.run(queue, nodeId, jobs, times.hold(), times.renewed());
        if (noted < 0) {
            own = 0;
        } else if (noted > 0) {
            before += noted;
            wakeups.keysReady(queue);
        }
    }

    /** What nodes begin in three ticks, and at least as many as they have threads. */
    private int room(Figures figures) {
        int now = Math.max(0, before - figures.admitted());
        if (now > 0 || figures.admitted() == 0) {
            claimedAt = System.nanoTime();
        } else if (System.nanoTime() - claimedAt >= STUCK.toNanos()) {
            claimedAt = System.nanoTime();
            admit.takeBack(queue, MOST);
        }
        claimed = Math.max(now, claimed * 0.8);
        before = figures.admitted();
        int ahead = Math.max(concurrency * Math.max(1, node.place().nodes()), (int) Math.ceil(3 * claimed));
        return Math.min(MOST, ahead) - figures.admitted();
    }
}
