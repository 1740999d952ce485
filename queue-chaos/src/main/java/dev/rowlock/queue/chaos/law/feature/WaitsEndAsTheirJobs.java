package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Awaits.Answer;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whoever waits for a job hears of its end, and how it ended. A job whose partition was taken away is not there. */
final class WaitsEndAsTheirJobs implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Row> rows =
                history.rows().stream().collect(Collectors.toMap(Row::id, Function.identity(), (one, other) -> one));
        boolean taken =
                history.strikes().stream().anyMatch(strike -> strike.fault().contains("PARTITION"));
        return history.waits().stream()
                .filter(wait -> !(taken && wait.answer() == Answer.NOT_THERE))
                .flatMap(wait -> Stream.ofNullable(rows.get(wait.job()))
                        .filter(row -> wait.answer() != end(row))
                        .map(row -> Violation.of("waits end as their jobs", "%s, and the job is %s", wait, row)));
    }

    private static Answer end(Row row) {
        return switch (row.state()) {
            case "completed" -> Answer.COMPLETED;
            case "cancelled" -> Answer.CANCELLED;
            case "dead", "quarantined" -> Answer.DEAD;
            default -> Answer.NONE;
        };
    }
}
