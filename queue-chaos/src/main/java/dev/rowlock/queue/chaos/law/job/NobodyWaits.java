package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.Busy;
import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.Gated;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.InOrder;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.chaos.load.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * While nothing is wrong, no runnable job waits for its handler, claimed or not, beside a node that runs its queue and
 * has a free thread all that time.
 */
final class NobodyWaits implements Law {

    private static final String NAME = "nobody waits beside the idle";

    /** Claims ahead begin or go back within about a second; the rest is for busy machines. */
    private static final long BOUND = Duration.ofSeconds(4).toNanos();

    /** What these do to their node, others may feel so long after them. */
    private static final Set<Act> TROUBLE = Set.of(Act.HOG, Act.EXHAUST, Act.EXIT, Act.HALT);

    private static final long AFTER_TROUBLE = Duration.ofSeconds(8).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Peace peace = Peace.of(history);
        if (peace.calm().longest() <= BOUND) {
            return Stream.empty();
        }
        Map<Long, Start> starts =
                history.starts().stream().collect(Collectors.toMap(Start::token, Function.identity(), (a, b) -> a));
        Claims claims = Claims.of(history);
        long end =
                history.signs().pulses().stream().mapToLong(Pulse::nanos).max().orElse(0);
        Map<Serves, Spans> idle = idle(history, claims, peace);
        Gated gated = Gated.of(history);
        Gated lent = Gated.lent(history);
        InOrder inOrder = InOrder.of(history);
        return claims.moves().values().stream()
                .flatMap(moves -> waits(moves, starts, end).stream())
                .map(wait -> wait.queue().equals(Work.Gated.QUEUE) ? wait.without(gated.heldUp(wait.job())) : wait)
                .map(wait -> wait.queue().equals(Work.Lent.QUEUE) ? wait.without(lent.heldUp(wait.job())) : wait)
                .map(wait -> wait.queue().equals(Work.Ordered.QUEUE) ? wait.without(inOrder.heldUp(wait.job())) : wait)
                .flatMap(wait -> besideIdle(wait, idle, peace));
    }

    /** A job of this queue, from runnable to begun. */
    private record Wait(long job, String queue, Spans time) {

        /** While a limit held it up, it waited by right. */
        Wait without(Spans heldUp) {
            return new Wait(job, queue, time.minus(heldUp));
        }
    }

    private static Stream<Violation> besideIdle(Wait wait, Map<Serves, Spans> idle, Peace peace) {
        if (wait.queue().equals("steered")) {
            return Stream.empty(); // its type may be paused
        }
        Spans calm = wait.time().and(peace.calm());
        if (calm.longest() <= BOUND) {
            return Stream.empty();
        }
        return idle.entrySet().stream()
                .filter(node -> node.getKey().queue().equals(wait.queue()))
                .filter(node -> node.getValue().and(calm).longest() > BOUND)
                .limit(1)
                .map(node -> Violation.of(
                        NAME,
                        "job %d of queue '%s' waited %d ms while %s had a free thread",
                        wait.job(),
                        wait.queue(),
                        node.getValue().and(calm).longest() / 1_000_000,
                        node.getKey().node()));
    }

    /** Jobs of nodes that died are left out: they may have to wait until they can be started alone. */
    private static List<Wait> waits(List<Move> moves, Map<Long, Start> starts, long end) {
        List<Wait> waits = new ArrayList<>();
        long since = 0;
        for (int i = 0; i < moves.size(); i++) {
            Move move = moves.get(i);
            Start start = move.room().equals("running") ? starts.get(move.token()) : null;
            if (start != null || (since != 0 && !Set.of("ready", "running").contains(move.room()))) {
                if (since != 0) {
                    waits.add(wait(move, since, start != null ? start.nanos() : move.nanos()));
                }
                since = 0;
            } else if (since == 0 && move.room().equals("ready") && move.crashes() == 0) {
                since = move.nanos();
            }
        }
        if (since != 0) {
            waits.add(wait(moves.get(moves.size() - 1), since, end));
        }
        return waits;
    }

    private static Wait wait(Move move, long since, long until) {
        return new Wait(move.job(), move.queue(), Spans.of(since, until));
    }

    /** When each node had a free thread for each queue. */
    private static Map<Serves, Spans> idle(History history, Claims claims, Peace peace) {
        Map<Long, End> ends = ends(history, claims);
        Map<String, List<Start>> byNode = history.starts().stream().collect(Collectors.groupingBy(Start::node));
        Jobs jobs = Jobs.of(history);
        Map<Serves, Spans> idle = new TreeMap<>(Busy.ORDER);
        for (Serves serves : history.signs().serves()) {
            List<Start> own = byNode.getOrDefault(serves.node(), List.of());
            Spans free = Busy.free(
                    own.stream()
                            .filter(start -> queue(claims, start).equals(serves.queue()))
                            .toList(),
                    ends,
                    serves.threads());
            Spans trouble = Spans.of(own.stream()
                    .filter(start -> troubles(jobs, start))
                    .map(start -> new Span(start.nanos(), Busy.end(start, ends) + AFTER_TROUBLE))
                    .toList());
            idle.put(serves, free.and(peace.awake(serves.node())).minus(trouble));
        }
        return idle;
    }

    /** A handler that an error has hit may leave no line of its end: what became of its claim follows it. */
    private static Map<Long, End> ends(History history, Claims claims) {
        Map<Long, End> ends =
                history.ends().stream().collect(Collectors.toMap(End::token, Function.identity(), (a, b) -> a));
        history.starts().forEach(start -> {
            Claims.@Nullable Claim claim = claims.byToken().get(start.token());
            if (claim != null && claim.exit() != null) {
                ends.putIfAbsent(
                        start.token(),
                        new End(start.node(), claim.exit().nanos(), start.job(), start.token(), "unknown"));
            }
        });
        return ends;
    }

    private static boolean troubles(Jobs jobs, Start start) {
        Told told = jobs.told().get(start.job());
        return told != null && TROUBLE.contains(told.act());
    }

    private static String queue(Claims claims, Start start) {
        Claims.@Nullable Claim claim = claims.byToken().get(start.token());
        return claim == null ? "" : claim.taken().queue();
    }
}
