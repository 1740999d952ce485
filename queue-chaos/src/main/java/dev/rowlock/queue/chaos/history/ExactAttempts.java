package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Told;
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
final class ExactAttempts implements Promise {

    private static final String NAME = "attempts are counted right";
    private static final int MAX_ATTEMPTS = 4;

    /** How a job must end that nobody disturbed; crashes are no disturbance. */
    private record Expected(String state, int attempt) {}

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Told> told = history.told().stream().collect(Collectors.toMap(Told::uid, Function.identity()));
        return history.rows().stream()
                .flatMap(row -> Stream.ofNullable(told.get(row.uid()))
                        .filter(asked -> !right(asked, row))
                        .map(asked -> Violation.of(NAME, "%s ended as %s", asked, row)));
    }

    private static boolean right(Told told, Row row) {
        int failures = row.state().equals("completed") ? row.attempt() - 1 : row.attempt();
        return switch (row.state()) {
            case "completed", "failed" ->
                row.attempt() <= MAX_ATTEMPTS
                        && row.attempt() >= 1
                        && row.errors() == failures
                        && fits(expected(told), row);
            case "quarantined" -> row.crashes() >= 3;
            default -> true; // cancelled, or still under way, which another promise is about
        };
    }

    private static boolean fits(@Nullable Expected expected, Row row) {
        return expected == null || (row.state().equals(expected.state) && row.attempt() == expected.attempt);
    }

    private static @Nullable Expected expected(Told told) {
        if (told.type().equals("money")) {
            return null;
        }
        return switch (told.act()) {
            case SLEEP, SNOOZE, IGNORE -> new Expected("completed", 1);
            case RETRY -> new Expected("completed", told.number() + 1);
            case ERROR -> new Expected("completed", 2);
            case FAIL, EXHAUST -> new Expected("failed", MAX_ATTEMPTS);
            case SIT -> new Expected("failed", 1); // by its timeout, without retries
            case HALT, EXIT -> new Expected("quarantined", 1); // a crash is neither success nor failure
            case HOG -> null;
        };
    }
}
