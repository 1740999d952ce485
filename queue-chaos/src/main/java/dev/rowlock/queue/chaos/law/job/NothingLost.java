package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Told;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Each committed job is in exactly one room, at the end in one where jobs rest, also if it was asked for several times
 * under a unique key; nothing comes from nowhere; what was rolled back does not exist and never ran.
 */
final class NothingLost implements Law {

    private static final String NAME = "conservation";
    private static final Set<String> ENDED = Set.of("completed", "cancelled", "dead", "quarantined");

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Told> told = history.told().stream().collect(Collectors.toMap(Told::uid, Function.identity()));
        Map<Long, List<Row>> rows = history.rows().stream().collect(Collectors.groupingBy(Row::uid));
        return Stream.of(
                        history.told().stream().flatMap(job -> kept(job, rows.getOrDefault(job.uid(), List.of()))),
                        history.rows().stream().flatMap(row -> known(row, told)),
                        history.starts().stream()
                                .filter(start -> fate(told.get(start.uid())) == Fate.ROLLED_BACK)
                                .map(start -> Violation.of(
                                        NAME,
                                        "job %d (uid %d) was rolled back and ran on %s",
                                        start.job(),
                                        start.uid(),
                                        start.node())))
                .flatMap(Function.identity());
    }

    private static Stream<Violation> kept(Told job, List<Row> rows) {
        if (job.fate() == Fate.ROLLED_BACK) {
            return rows.stream()
                    .map(row -> Violation.of(NAME, "uid %d was rolled back and is job %d", job.uid(), row.id()));
        }
        if (rows.isEmpty() && job.fate() == Fate.COMMITTED) {
            return Stream.of(Violation.of(NAME, "job %d (uid %d) was committed and is nowhere", job.id(), job.uid()));
        }
        if (rows.size() > 1) {
            return Stream.of(Violation.of(
                    NAME, "job %d (uid %d) is there %d times: %s", job.id(), job.uid(), rows.size(), rows));
        }
        return rows.stream()
                .filter(row -> job.fate() == Fate.COMMITTED && row.id() != job.id())
                .map(row -> Violation.of(
                        NAME, "uid %d was enqueued as job %d and is job %d", job.uid(), job.id(), row.id()));
    }

    private static Stream<Violation> known(Row row, Map<Long, Told> told) {
        if (fate(told.get(row.uid())) == null) {
            return Stream.of(Violation.of(NAME, "job %d (uid %d) comes from nowhere", row.id(), row.uid()));
        }
        if (!ENDED.contains(row.state())) {
            return Stream.of(Violation.of(
                    "nobody waits for ever", "job %d (uid %d) is still %s", row.id(), row.uid(), row.state()));
        }
        return Stream.empty();
    }

    private static @Nullable Fate fate(@Nullable Told told) {
        return told == null ? null : told.fate();
    }
}
