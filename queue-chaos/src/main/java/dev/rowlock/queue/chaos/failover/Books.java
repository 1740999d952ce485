package dev.rowlock.queue.chaos.failover;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Start;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What was acknowledged, and what of it the new primary knows when all is done.
 *
 * @param enqueued calls that were answered with an id
 * @param unanswered calls that threw: nobody knows
 * @param jobsLost answered, and in no room
 * @param idsTwice answered ids that name another job now
 * @param outcomes that observers heard were recorded as completed
 * @param outcomesLost of those, the ones that are not there any more although the job is: it ran again
 * @param tokensBack claims of a job whose token is not greater than that of the claim before
 * @param effectsWrong transactional jobs that are done and have not exactly one effect
 * @param left jobs that should have run and have not
 * @param onOldPrimary claims on the old primary after the promotion
 * @param outage from the loss to the first handler that began on the new primary
 * @param lastNode the same for the node that came last
 */
public record Books(
        int enqueued,
        int unanswered,
        long jobsLost,
        long idsTwice,
        long outcomes,
        long outcomesLost,
        long tokensBack,
        long effectsWrong,
        long left,
        long onOldPrimary,
        Duration outage,
        Duration lastNode) {

    /** When things happened, monotonic. */
    record Times(long lost, long promoted) {}

    static Books of(
            History history, Collection<Callers.Answer> answers, int unanswered, long onOldPrimary, Times times) {
        Map<Long, Row> byUid = new HashMap<>();
        Map<Long, Row> byId = new HashMap<>();
        history.rows().forEach(row -> {
            byUid.put(row.uid(), row);
            byId.put(row.id(), row);
        });
        List<Said> completed = history.said().stream()
                .filter(said -> said.label().equals("completed"))
                .toList();
        Set<Long> fresh = history.moves().stream()
                .filter(move -> move.room().equals("running") && move.nanos() > times.promoted())
                .map(History.Move::token)
                .collect(Collectors.toCollection(HashSet::new));
        Map<String, Long> firstStarts = history.starts().stream()
                .filter(start -> fresh.contains(start.token()) && start.nanos() > times.promoted())
                .collect(Collectors.toMap(Start::node, Start::nanos, Math::min));
        return new Books(
                answers.size(),
                unanswered,
                answers.stream()
                        .filter(answer -> !byUid.containsKey(answer.uid()))
                        .count(),
                answers.stream()
                        .filter(answer -> byId.containsKey(answer.id())
                                && byId.get(answer.id()).uid() != answer.uid())
                        .count(),
                completed.size(),
                completed.stream().filter(said -> ranAgain(said, byId)).count(),
                tokensBack(history.starts()),
                effectsWrong(history),
                history.rows().stream()
                        .filter(row -> Set.of("waiting", "ready", "running").contains(row.state()))
                        .count(),
                onOldPrimary,
                since(times.lost(), firstStarts.values(), Comparator.naturalOrder()),
                since(times.lost(), firstStarts.values(), Comparator.reverseOrder()));
    }

    private static boolean ranAgain(Said said, Map<Long, Row> rows) {
        Row row = rows.get(said.job());
        return row != null && (row.token() == null || row.token() != said.token());
    }

    private static long tokensBack(List<Start> starts) {
        Map<Long, List<Start>> byJob = starts.stream()
                .sorted(Comparator.comparingLong(Start::nanos))
                .collect(Collectors.groupingBy(Start::uid));
        return byJob.values().stream().mapToLong(Books::notGrowing).sum();
    }

    private static long notGrowing(List<Start> starts) {
        long wrong = 0;
        for (int i = 1; i < starts.size(); i++) {
            wrong += starts.get(i).token() > starts.get(i - 1).token() ? 0 : 1;
        }
        return wrong;
    }

    private static long effectsWrong(History history) {
        Map<Long, Long> effects = history.effects().stream()
                .map(History.Effect::uid)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        // As callers draw them: odd ones are transactional.
        return history.rows().stream()
                .filter(row -> row.state().equals("completed") && row.uid() % 2 == 1)
                .filter(row -> effects.getOrDefault(row.uid(), 0L) != 1)
                .count();
    }

    private static Duration since(long begun, Collection<Long> nanos, Comparator<Long> order) {
        return nanos.stream().min(order).map(at -> Duration.ofNanos(at - begun)).orElse(Duration.ZERO);
    }

    /** Whether nothing happened that must not happen, whatever a standby that is behind has lost. */
    public boolean sound() {
        return idsTwice == 0 && tokensBack == 0 && effectsWrong == 0 && left == 0;
    }

    /** Whether nothing was lost that was acknowledged. */
    public boolean complete() {
        return jobsLost == 0 && outcomesLost == 0;
    }

    @Override
    public String toString() {
        return """
                jobs acknowledged %d, lost %d (calls without an answer %d); outcomes acknowledged %d, lost %d
                ids that name another job %d; tokens that do not grow %d; wrong effects %d; left %d; claims on the old primary %d
                first job on the new primary after %d ms, on the last node after %d ms""".formatted(
                        enqueued,
                        jobsLost,
                        unanswered,
                        outcomes,
                        outcomesLost,
                        idsTwice,
                        tokensBack,
                        effectsWrong,
                        left,
                        onOldPrimary,
                        outage.toMillis(),
                        lastNode.toMillis());
    }
}
