package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Told;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A handler that returned in time has not failed: its job is neither dead nor tried again. Left out is what others may
 * make fail: transactions, results that cannot be written, rows that the database refuses, memory that has run out.
 */
final class SuccessIsNotDead implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        Jobs jobs = Jobs.of(history);
        Peace peace = Peace.of(history);
        Claims claims = Claims.of(history);
        Map<Long, Start> starts =
                history.starts().stream().collect(Collectors.toMap(Start::token, Function.identity(), (a, b) -> a));
        return history.ends().stream()
                .filter(end -> end.how().equals("returned"))
                .flatMap(end -> Stream.ofNullable(claims.byToken().get(end.token()))
                        .filter(claim -> failed(claim) && !unheard(jobs, peace, end, claim))
                        .filter(claim -> !excused(jobs, jobs.told().get(end.job()), starts.get(end.token()), end))
                        .map(claim -> Violation.of(
                                "nothing that returned is dead",
                                "the handler of job %d (token %d) returned, and what became of it is %s, for %s",
                                end.job(),
                                end.token(),
                                claim.exit(),
                                jobs.rows().get(end.job()))));
    }

    static boolean failed(Claims.Claim claim) {
        Move exit = claim.exit();
        return exit != null
                && (exit.room().equals("dead") && exit.detail().equals("dead")
                        || exit.room().equals("waiting") && exit.detail().equals("retry"));
    }

    /** Where a node cannot say that its handler was in time, others take the job some time after its deadline. */
    private static boolean unheard(Jobs jobs, Peace peace, End end, Claims.Claim claim) {
        Told told = jobs.told().get(end.job());
        Move exit = claim.exit();
        if (told == null || Jobs.timeout(told) == null || exit == null) {
            return false;
        }
        return !peace.awake(end.node()).and(peace.awake(Pulse.DATABASE)).cover(end.nanos(), exit.nanos());
    }

    private static boolean excused(Jobs jobs, @Nullable Told told, @Nullable Start start, End end) {
        if (told == null || start == null || !Jobs.needsOnlyItsThread(told) || told.act() == Act.NONSENSE) {
            return true;
        }
        Duration timeout = Jobs.timeout(told);
        boolean late = timeout != null && end.nanos() - start.nanos() >= timeout.toNanos();
        return late || jobs.sufferedFromMemory(end.job());
    }
}
