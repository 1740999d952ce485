package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Told;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * No attempt is charged whose handler never began. None is charged to a timeout before the handler had so much time, by
 * a clock that does not step.
 */
final class EarnedAttempts implements Law {

    private static final String NAME = "attempts are earned";

    /** Their handlers never fail by themselves. */
    private static final Set<Act> FAULTLESS = Set.of(Act.SLEEP, Act.IGNORE, Act.SIT);

    /** A handler says a moment late that it began; by how much is up to the machine. */
    private static final long TOLERANCE = Duration.ofMillis(400).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Jobs jobs = Jobs.of(history);
        Map<Long, Start> starts =
                history.starts().stream().collect(Collectors.toMap(Start::token, Function.identity(), (a, b) -> a));
        return Claims.of(history).byToken().values().stream()
                .filter(SuccessIsNotDead::failed)
                .flatMap(claim -> Stream.ofNullable(
                                jobs.told().get(claim.taken().job()))
                        .filter(told -> Jobs.needsOnlyItsThread(told)
                                && !jobs.sufferedFromMemory(claim.taken().job()))
                        .flatMap(told ->
                                charged(told, claim, starts.get(claim.taken().token()))));
    }

    private static Stream<Violation> charged(Told told, Claims.Claim claim, @Nullable Start start) {
        if (start == null) {
            return Stream.of(Violation.of(NAME, "%s never began, and is %s", claim.taken(), claim.exit()));
        }
        Duration timeout = Jobs.timeout(told);
        Move exit = claim.exit();
        if (timeout == null || exit == null || exit.nanos() == 0 || !FAULTLESS.contains(told.act())) {
            return Stream.empty();
        }
        long had = exit.nanos() - start.nanos();
        return had + TOLERANCE >= timeout.toNanos()
                ? Stream.empty()
                : Stream.of(Violation.of(
                        NAME, "%s had %d of %d ms, and is %s", start, had / 1_000_000, timeout.toMillis(), exit));
    }
}
