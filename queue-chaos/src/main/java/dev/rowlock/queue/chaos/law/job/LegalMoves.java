package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Work;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Jobs go from room to room only by the doors that exist, and their counters change as the door says. Two outcomes
 * accepted for one claim would be two moves out of running without a claim between them.
 */
final class LegalMoves implements Law {

    private static final String NAME = "one outcome per claim";

    @Override
    public Stream<Violation> broken(History history) {
        return Claims.of(history).moves().values().stream().flatMap(LegalMoves::ofJob);
    }

    private static Stream<Violation> ofJob(List<Move> moves) {
        Move first = moves.get(0);
        Stream<Violation> entry = (first.room().equals("ready") || first.room().equals("waiting"))
                        && first.attempt() == 0
                        && first.crashes() == 0
                ? Stream.empty()
                : Stream.of(Violation.of(NAME, "job %d begins with %s", first.job(), first));
        return Stream.concat(
                entry,
                IntStream.range(1, moves.size())
                        .filter(i -> !legal(moves.get(i - 1), moves.get(i)))
                        .mapToObj(i -> Violation.of(
                                NAME, "job %d goes from %s to %s", first.job(), moves.get(i - 1), moves.get(i))));
    }

    private static boolean legal(Move from, Move to) {
        return switch (from.room() + " " + to.room()) {
            case "waiting ready" -> counted(from, to, 0, 0);
            case "ready running" -> counted(from, to, 1, 0);
            case "ready waiting" -> // rescheduled, or held for a policy
                (to.detail().equals("scheduled")
                                || to.detail().equals("policy") && to.queue().equals(Work.Chosen.QUEUE))
                        && counted(from, to, 0, 0);
            case "ready ready", "waiting waiting" -> // a request with its unique key replaced it
                from.queue().equals("drafts") && counted(from, to, 0, 0);
            case "done ready" -> // skipped, and one that failed before it was redriven and has completed
                from.queue().equals(Work.Linked.QUEUE) && from.detail().equals("cancelled") && counted(from, to, 0, 0);
            case "dead waiting" -> to.detail().equals("redrive") && to.attempt() == 0 && to.crashes() == 0;
            case "running ready" -> counted(from, to, -1, 0) || counted(from, to, -1, 1);
            case "running waiting" -> counted(from, to, to.detail().equals("retry") ? 0 : -1, 0);
            case "running done" ->
                counted(from, to, 0, 0) || (to.detail().equals("cancelled") && counted(from, to, 0, 1));
            case "running dead" -> counted(from, to, 0, to.detail().equals("quarantined") ? 1 : 0);
            case "waiting done", "ready done", "dead done" ->
                to.detail().equals("cancelled") && counted(from, to, 0, 0);
            default -> false;
        };
    }

    private static boolean counted(Move from, Move to, int attempts, int crashes) {
        return to.attempt() == from.attempt() + attempts && to.crashes() == from.crashes() + crashes;
    }
}
