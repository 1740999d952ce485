package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Told;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whatever was done to nodes and database, a job has as many attempts and errors as its handler earned: crashes,
 * releases and snoozes cost none. Exact for jobs that need nothing but their thread. Others may also fail because the
 * database was away, so for them only the limit holds: attempts never pass the retries allowed, and each but the
 * last has left an error.
 */
final class ExactAttempts implements Law {

    private static final String NAME = "attempts are counted right";

    /** How a job must end that nobody disturbed; crashes are no disturbance. */
    private record Expected(String state, int attempt) {}

    @Override
    public Stream<Violation> broken(History history) {
        Jobs jobs = Jobs.of(history);
        Map<Long, Told> told = history.told().stream().collect(Collectors.toMap(Told::uid, Function.identity()));
        return history.rows().stream()
                .flatMap(row -> Stream.ofNullable(told.get(row.uid()))
                        .filter(asked -> !right(asked, row, jobs.sufferedFromMemory(row.id())))
                        .map(asked -> Violation.of(NAME, "%s ended as %s", asked, row)));
    }

    private static boolean right(Told told, Row row, boolean memory) {
        if (Jobs.cursed(told) || Jobs.steered(told) || Jobs.livesAgain(told, row)) {
            return true;
        }
        int failures = row.state().equals("completed") ? row.attempt() - 1 : row.attempt();
        return switch (row.state()) {
            case "completed", "dead" ->
                row.attempt() <= Jobs.retries(told) + 1
                        && row.attempt() >= 1
                        && row.errors() == failures
                        && fits(memory ? null : expected(told), row);
            case "quarantined" -> row.crashes() >= 3;
            default -> true; // cancelled, or still under way, which another law is about
        };
    }

    private static boolean fits(@Nullable Expected expected, Row row) {
        return expected == null || (row.state().equals(expected.state) && row.attempt() == expected.attempt);
    }

    private static @Nullable Expected expected(Told told) {
        if (!Jobs.needsOnlyItsThread(told)) {
            return null;
        }
        int last = Jobs.retries(told) + 1;
        return switch (told.act()) {
            // Frozen with its process, also the quickest handler misses its deadline.
            case SLEEP, IGNORE -> Jobs.timeout(told) == null ? new Expected("completed", 1) : null;
            case SNOOZE, LEAVE -> new Expected("completed", 1);
            case RETRY -> new Expected("completed", told.number() + 1);
            case ERROR -> new Expected("completed", 2);
            case FAIL, ODD, EXHAUST -> new Expected("dead", last);
            case SIT -> new Expected("dead", 1); // by its timeout, without retries
            case HALT, EXIT -> new Expected("quarantined", 1); // a crash is neither success nor failure
            case MEND, COUNT, HOG, PROGRESS, NONSENSE -> null;
        };
    }
}
