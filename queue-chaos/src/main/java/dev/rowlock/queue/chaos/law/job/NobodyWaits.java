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
import dev.rowlock.queue.chaos.history.Rated;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.history.Trouble;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongFunction;
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

    /**
     * A claim whose answer a fault has swallowed is undone ten to eleven seconds after the node has noticed that it failed; the rest is for busy
     * machines.
     */
    private static final long LOST_ANSWER = Duration.ofSeconds(13).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Peace peace = Peace.of(history);
        if (peace.calm().longest() <= BOUND) {
            return Stream.empty();
        }
        Map<Long, Start> starts =
                history.starts().stream().collect(Collectors.toMap(Start::token, Function.identity(), (a, b) -> a));
        Claims claims = Claims.of(history);
        Map<String, Long> readyAt = Claims.readyAt(history);
        long end =
                history.signs().pulses().stream().mapToLong(Pulse::nanos).max().orElse(0);
        Map<Serves, Spans> idle = idle(history, claims, peace);
        Map<String, LongFunction<Spans>> heldUp = heldUp(history);
        return claims.moves().values().stream()
                .flatMap(moves -> waits(moves, starts, end, readyAt).stream()
                        .map(wait -> wait.without(lostAnswers(moves, starts, peace.calm()))))
                .map(wait -> wait.without(heldUp.getOrDefault(wait.queue(), job -> Spans.of(List.of()))
                        .apply(wait.job())))
                .flatMap(wait -> besideIdle(wait, idle, peace));
    }

    /** When each job waited by right, in queues that have rules. */
    private static Map<String, LongFunction<Spans>> heldUp(History history) {
        Gated gated = Gated.of(history);
        Gated lent = Gated.lent(history);
        Gated limited = Gated.rated(history);
        Rated rated = Rated.of(history);
        InOrder inOrder = InOrder.of(history);
        return Map.of(
                Work.Gated.QUEUE, gated::heldUp,
                Work.Lent.QUEUE, lent::heldUp,
                Work.Rated.QUEUE, job -> limited.heldUp(job).or(rated.heldUp(job)),
                Work.Ordered.QUEUE, inOrder::heldUp);
    }

    /** A job of this queue, from runnable to begun. */
    private record Wait(long job, String queue, Spans time) {

        /** While that held it up, it waited by right. */
        Wait without(Spans heldUp) {
            return new Wait(job, queue, time.minus(heldUp));
        }
    }

    /** From claims that no handler saw and that were not made in calm, until they are undone at the latest. */
    private static Spans lostAnswers(List<Move> moves, Map<Long, Start> starts, Spans calm) {
        return Spans.of(moves.stream()
                .filter(move -> move.room().equals("running") && !starts.containsKey(move.token()))
                .filter(move -> !calm.cover(move.nanos(), move.nanos()))
                .map(move -> new Span(move.nanos(), calm.firstBegin(move.nanos()) + LOST_ANSWER))
                .toList());
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
    private static List<Wait> waits(List<Move> moves, Map<Long, Start> starts, long end, Map<String, Long> readyAt) {
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
                since = readyAt.getOrDefault(move.detail(), move.nanos());
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
        Map<Long, End> ends = Busy.ends(history, claims);
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
            idle.put(serves, free.and(peace.awake(serves.node())).minus(Trouble.of(jobs, own, ends)));
        }
        return idle;
    }

    private static String queue(Claims claims, Start start) {
        Claims.@Nullable Claim claim = claims.byToken().get(start.token());
        return claim == null ? "" : claim.taken().queue();
    }
}
