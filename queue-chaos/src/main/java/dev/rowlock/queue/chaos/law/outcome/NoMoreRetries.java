package dev.rowlock.queue.chaos.law.outcome;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.Jobs;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.stream.Stream;

/** A job is retried as often as its options, or else its listener, allow, whoever finds that its attempt has failed. */
final class NoMoreRetries implements Law {

    @Override
    public Stream<Violation> broken(History history) {
        Jobs jobs = Jobs.of(history);
        return history.moves().stream()
                .filter(move -> move.room().equals("waiting") && move.detail().equals("retry"))
                .flatMap(move -> Stream.ofNullable(jobs.told().get(move.job()))
                        .filter(told -> move.attempt() > Jobs.retries(told))
                        .map(told -> Violation.of(
                                "retries are the listener's",
                                "job %d may be retried %d times, and attempt %d was: %s",
                                move.job(),
                                Jobs.retries(told),
                                move.attempt(),
                                told)));
    }
}
