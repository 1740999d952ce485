package dev.rowlock.queue.chaos.law.job;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** No token is given twice, and each claim of a job has a higher one than the claim before. */
final class GrowingTokens implements Law {

    private static final String NAME = "tokens grow";

    @Override
    public Stream<Violation> broken(History history) {
        List<Violation> broken = new ArrayList<>();
        Map<Long, Long> owner = new HashMap<>();
        Claims.of(history).moves().forEach((job, moves) -> {
            long last = 0;
            for (Move move : moves) {
                if (!move.room().equals("running")) {
                    continue;
                }
                Long other = owner.putIfAbsent(move.token(), job);
                if (other != null) {
                    broken.add(Violation.of(NAME, "token %d was given to jobs %d and %d", move.token(), other, job));
                }
                if (move.token() <= last) {
                    broken.add(
                            Violation.of(NAME, "job %d was claimed with token %d after %d", job, move.token(), last));
                }
                last = move.token();
            }
        });
        return broken.stream();
    }
}
