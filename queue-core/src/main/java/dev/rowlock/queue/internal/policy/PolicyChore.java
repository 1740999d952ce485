package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.policy.PolicyCall.PolicyException;
import dev.rowlock.queue.internal.policy.PolicyStatements.Admitted;
import dev.rowlock.queue.internal.policy.PolicyStatements.Figures;
import dev.rowlock.queue.internal.policy.PolicyStatements.Page;
import dev.rowlock.queue.internal.policy.PolicyStatements.WaitingPosition;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.CostBudget;
import dev.rowlock.queue.spi.NodeStatus.PolicyCounts;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one policy on this node, if no other node does, and moves what it chooses to ready. It looks again and again: no wake-up can be lost. An answer
 * holds back the other jobs for some seconds, and only further answers renew that. So whatever becomes of the policy or of
 * its node, the jobs go on.
 */
final class PolicyChore implements Chore {

    private static final Logger log = LoggerFactory.getLogger(PolicyChore.class);

    private static final Duration TICK = Duration.ofMillis(50);
    private static final Duration AGAIN = Duration.ofMillis(1);
    private static final Duration OTHERS = Duration.ofSeconds(1);
    private static final int MOST = PolicyStatements.PAGE;
    private static final int MOST_FAILED = 6;

    /** Chosen jobs that nobody claims for so long are given back to the policy: a limit may be full, or nobody runs their type. */
    private static final Duration UNCLAIMED = Duration.ofSeconds(1);

    /** @param concurrency of the queue on this node */
    record Settings(int concurrency, PolicyTimes times) {}

    private final String queue;
    private final ReadyAhead ahead;
    private final OwnNode node;
    private final PolicyCall policy;
    private final PolicyTimes times;
    private final PolicyStatements statements;
    private final PolicyQueues held;
    private final Wakeups wakeups;

    private long own; // the node's id while it is this node that asks
    private @Nullable PolicyException failure; // of the last answer; null: it was a good one
    private volatile PolicyCounts counts; // written by its thread
    private int failed; // answers in turn that were bad, not counting good ones where no job waited
    private long tryAt; // after failures, once jobs go on: later each time, since they would wait for nothing
    private final RefusedJobs refused;
    private final PolicyCursor cursor = new PolicyCursor(System.nanoTime());
    private WaitingPosition place = WaitingPosition.FRONT; // of the next page
    private long askAt = System.nanoTime();
    private long takeBackAt = System.nanoTime();

    PolicyChore(
            PolicyCall policy,
            Settings settings,
            OwnNode node,
            PolicyStatements statements,
            PolicyQueues held,
            Wakeups wakeups) {
        this.queue = policy.queue();
        this.ahead = new ReadyAhead(settings.concurrency());
        this.times = settings.times();
        this.refused = new RefusedJobs("that a policy has chosen cannot become ready", times.again());
        this.node = node;
        this.policy = policy;
        this.statements = statements;
        this.held = held;
        this.wakeups = wakeups;
        this.counts = new PolicyCounts(queue, 0, 0, 0);
    }

    @Override
    public Optional<PolicyCounts> policy() {
        return Optional.of(counts);
    }

    private void count(int good, int bad, int chosen) {
        PolicyCounts before = counts;
        counts = new PolicyCounts(queue, before.good() + good, before.bad() + bad, before.chosen() + chosen);
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
    public void triggeredBy(Trigger trigger) {
        held.whenMoved(queue, trigger::now);
    }

    /** Without a trace of what is ours: of the application's exception only, if there is one. */
    @Override
    public void tell(Logger log, Throwable failure, Duration again) {
        if (!(failure instanceof PolicyException bad)) {
            Chore.super.tell(log, failure, again);
            return;
        }
        String line = bad.getMessage();
        if (bad.asked()) {
            line +=
                    "; it is asked again each %s, and if there is no good answer within %s, jobs run in their normal order"
                            .formatted(DurationText.of(again), DurationText.of(times.hold()));
        }
        log.warn(line, bad.getCause());
    }

    @Override
    public Duration runOnce() {
        long nodeId = node.nodeId();
        if (nodeId == 0) {
            return TICK;
        }
        if (own != nodeId || failure != null) {
            own = statements.take(queue, nodeId, times.left()) ? nodeId : 0;
        }
        Figures figures = own == 0 ? null : statements.figures(queue, nodeId);
        if (figures == null || !figures.own()) {
            own = 0;
            failure = null;
            return OTHERS;
        }
        if (figures.inOrder()) {
            failure = PolicyException.withoutEffect(queue);
            throw failure;
        }
        return decide(figures, nodeId);
    }

    private Duration decide(Figures figures, long nodeId) {
        if (failure != null && figures.leftMillis() == 0 && System.nanoTime() - tryAt < 0) {
            throw failure; // jobs go on without it, and nothing has become better
        }
        int room = ahead.room(figures.admitted(), node.place().nodes());
        takeBack();
        long now = System.nanoTime();
        boolean looks = room > 0 && figures.held() && now - askAt >= 0 && mayLook(now);
        if (!looks && failure == null) {
            place = figures.held() ? place : WaitingPosition.FRONT;
            if (figures.leftMillis() < times.renewed().toMillis()) {
                admit(nodeId, List.of());
            }
            return TICK;
        }
        Page page = page(nodeId);
        Admission answer = page.jobs().isEmpty() && failure == null ? null : ask(page, room, figures.admitted());
        admit(nodeId, answer == null ? List.of() : answer.jobs());
        return next(page, answer, room);
    }

    private boolean mayLook(long now) {
        return !place.equals(WaitingPosition.FRONT) || cursor.mayLook(now);
    }

    private Duration next(Page page, @Nullable Admission answer, int room) {
        Duration later = answer == null ? Duration.ZERO : answer.askAgain();
        askAt = System.nanoTime() + later.toNanos();
        boolean behind = later.isZero() && (answer == null || answer.jobs().size() < room) && page.next() != null;
        place = behind && page.next() != null ? page.next() : WaitingPosition.FRONT;
        return behind ? AGAIN : TICK;
    }

    private Admission ask(Page page, int room, int chosen) {
        AdmissionRequest request =
                new AdmissionRequest(queue, page.jobs(), Math.max(0, room), chosen, page.running(), page.now());
        Admission answer;
        try {
            answer = policy.ask(request);
        } catch (PolicyException e) {
            count(0, 1, 0);
            if (failure == null) {
                failed = Math.min(MOST_FAILED, failed + 1);
                tryAt = System.nanoTime() + (times.hold().toNanos() << failed);
            }
            failure = e;
            throw e;
        }
        count(1, 0, 0);
        if (!page.jobs().isEmpty()) {
            failed = 0;
        }
        if (failure != null) {
            failure = null;
            log.info("queue '{}': its policy decides again", queue);
        }
        return answer;
    }

    private void admit(long nodeId, List<Long> jobs) {
        long now = System.nanoTime();
        Admitted admitted = admitted(nodeId, jobs);
        if (!admitted.own()) {
            own = 0;
            return;
        }
        held.decides(queue, now, times.hold());
        tell(admitted);
    }

    private void tell(Admitted admitted) {
        ahead.added(admitted.jobs());
        count(0, 0, admitted.jobs());
        new ReadyJobs(queue, admitted.rank(), admitted.jobs(), admitted.keys()).wake(wakeups);
    }

    /** One that the server refuses must not keep the others. */
    private Admitted admitted(long nodeId, List<Long> jobs) {
        try {
            return together(nodeId, jobs);
        } catch (RuntimeException e) {
            List<Admitted> parts = new ArrayList<>();
            refused.apart(() -> jobs, some -> parts.add(together(nodeId, some)), e);
            return parts.stream().reduce(Admitted::and).orElseGet(() -> together(nodeId, List.of()));
        }
    }

    private Admitted together(long nodeId, List<Long> jobs) {
        return statements.admit(queue, nodeId, jobs, times.hold());
    }

    /** Without jobs that the server refuses. Those that it no longer refuses have been chosen before. */
    private Page page(long nodeId) {
        if (refused.isDue()) {
            refused.tryAgain(some -> tell(together(nodeId, some)), MOST);
        }
        long begun = System.nanoTime();
        WaitingPosition from = place.equals(WaitingPosition.FRONT) ? cursor.begin(begun) : place;
        Page page = statements.page(queue, from);
        long now = System.nanoTime();
        cursor.looked(from, page, Duration.ofNanos(now - begun), now);
        return refused.ids().isEmpty() ? page : page.without(Set.copyOf(refused.ids()));
    }

    private void takeBack() {
        if (System.nanoTime() - takeBackAt >= 0) {
            takeBackAt = System.nanoTime() + UNCLAIMED.toNanos() / 2;
            int taken = statements.takeBack(queue, UNCLAIMED, MOST);
            if (taken > 0) {
                ahead.takenBack(taken);
                held.hold(queue);
            }
        }
    }

    /** Limits how many chosen jobs of a queue stand ready: few, so that the policy chooses late. Used by one thread. */
    static final class ReadyAhead {

        private static final int MOST = 1_000;

        /** About what is claimed in so many looks stands ready. */
        private static final int LOOKS = 3;

        private final int concurrency;
        private int before; // chosen and not claimed, after the last look
        private double claimed; // each look, of late

        /** @param concurrency of the queue on one node */
        ReadyAhead(int concurrency) {
            this.concurrency = concurrency;
        }

        /** How many more may be chosen: what nodes claim in some looks, and at least as many as they have threads. */
        int room(int admitted, int nodes) {
            claimed = Math.max(Math.max(0, before - admitted), claimed * 0.8);
            before = admitted;
            int ahead = Math.max(concurrency * Math.max(1, nodes), (int) Math.ceil(LOOKS * claimed));
            return Math.min(MOST, ahead) - admitted;
        }

        /** So many were chosen. */
        void added(int jobs) {
            before += jobs;
        }

        /** So many were given back to the policy since the last look, because no node claimed them. */
        void takenBack(int jobs) {
            before = Math.max(0, before - jobs);
        }
    }

    /**
     * The position from which a policy's waiting jobs are read. Jobs of paused types may stand at the front in any number, and
     * each read from the front walks over them. So where that takes long, reads from the front take a share of the time, and
     * others begin at the first job that is not paused, as the last read from the front found it. Meanwhile a job in front of it
     * waits for the next read from the front: one that is more urgent, or one whose type was paused.
     *
     * <p>Used by one thread at a time.
     */
    static final class PolicyCursor {

        /** Looks from the front take this share of the time, at most. */
        private static final double SHARE = 0.1;

        /** A look from the front that takes no longer needs no budget. */
        private static final Duration QUICK = Duration.ofMillis(5);

        private final CostBudget fronts;
        private WaitingPosition first = WaitingPosition.FRONT;

        PolicyCursor(long now) {
            fronts = new CostBudget(chance -> SHARE, now);
        }

        /** Whether there is anything to look at: from the front it may be too early, and nothing else is known. */
        boolean mayLook(long now) {
            return !first.equals(WaitingPosition.FRONT) || frontAllowed(now);
        }

        WaitingPosition begin(long now) {
            return frontAllowed(now) ? WaitingPosition.FRONT : first;
        }

        private boolean frontAllowed(long now) {
            return fronts.apart(1).compareTo(QUICK) <= 0 || fronts.allowedIn(now) == 0;
        }

        /** A look from there has found this page. */
        void looked(WaitingPosition from, Page page, Duration took, long now) {
            if (from.equals(WaitingPosition.FRONT)) {
                fronts.took(took, now);
                first = page.jobs().isEmpty() ? first : page.before();
            }
        }
    }
}
