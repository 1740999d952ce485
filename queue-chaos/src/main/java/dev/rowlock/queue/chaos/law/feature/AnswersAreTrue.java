package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.Gated;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.InOrder;
import dev.rowlock.queue.chaos.history.Peace;
import dev.rowlock.queue.chaos.history.Rated;
import dev.rowlock.queue.chaos.history.Spans;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Questions.Asked;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.search.Explanation.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whoever asks why a job waits is told: that its key or its queue is full if it is full all that time, and not if it is never full; that its rate is used up
 * only if it is; that its key is held; that it waits for other steps. Only while nothing is wrong, since a commit may take its time.
 */
final class AnswersAreTrue implements Law {

    private static final String NAME = "whoever asks why is told";

    /** A commit may follow its move so late. */
    private static final long COMMIT = Duration.ofSeconds(1).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        Spans calm = Peace.of(history).calm();
        Claims claims = Claims.of(history);
        Gated gated = Gated.of(history);
        Gated limited = Gated.rated(history);
        Rated rated = Rated.of(history);
        InOrder inOrder = InOrder.of(history);
        return history.asked().stream()
                .filter(asked -> calm.cover(asked.from() - COMMIT, asked.to()))
                .flatMap(asked -> {
                    Move room = room(asked, claims.moves().getOrDefault(asked.job(), List.of()));
                    List<String> wrong = new ArrayList<>();
                    if (room != null && room.room().equals("waiting")) {
                        mustSay(wrong, asked, room.detail().equals("parents"), Kind.AFTER_STEPS);
                    } else if (room != null && room.queue().equals(Work.Gated.QUEUE)) {
                        limits(wrong, asked, gated);
                    } else if (room != null && room.queue().equals(Work.Rated.QUEUE)) {
                        limits(wrong, asked, limited);
                        mayOnlySay(wrong, asked, rated.heldUp(asked.job()), Kind.RATE);
                    } else if (room != null && room.queue().equals(Work.Ordered.QUEUE)) {
                        boolean held =
                                untouched(room) && inOrder.heldUp(asked.job()).cover(asked.from() - COMMIT, asked.to());
                        mustSay(wrong, asked, held, Kind.KEY_HELD, Kind.KEY_FULL, Kind.BEHIND_OTHERS);
                    }
                    return wrong.stream()
                            .map(what -> Violation.of(
                                    NAME, "of job %d: %s, where it is %s", asked.job(), what, asked.kinds()));
                });
    }

    /** Where the job lay all that time; null: it moved. */
    private static @Nullable Move room(Asked asked, List<Move> moves) {
        Move last = null;
        for (Move move : moves) {
            if (move.nanos() < asked.from() - COMMIT) {
                last = move;
            } else if (move.nanos() <= asked.to()) {
                return null;
            }
        }
        return last != null && List.of("waiting", "ready").contains(last.room()) ? last : null;
    }

    private static boolean untouched(Move ready) {
        return ready.attempt() == 0 && ready.crashes() == 0;
    }

    private static void limits(List<String> wrong, Asked asked, Gated gated) {
        Gated.Full key = gated.ofKey(asked.job());
        mayOnlySay(wrong, asked, gated.ofQueue().perhaps(), Kind.QUEUE_FULL);
        mayOnlySay(wrong, asked, key.perhaps(), Kind.KEY_FULL);
        mustSay(wrong, asked, gated.ofQueue().surely().cover(asked.from() - COMMIT, asked.to()), Kind.QUEUE_FULL);
        mustSay(wrong, asked, key.surely().cover(asked.from() - COMMIT, asked.to()), Kind.KEY_FULL);
    }

    private static void mustSay(List<String> wrong, Asked asked, boolean so, Kind... one) {
        if (so && Stream.of(one).noneMatch(asked.kinds()::contains)) {
            wrong.add("nobody said " + List.of(one));
        }
    }

    private static void mayOnlySay(List<String> wrong, Asked asked, Spans when, Kind kind) {
        if (asked.kinds().contains(kind)
                && when.and(Spans.of(asked.from() - COMMIT, asked.to())).longest() == 0) {
            wrong.add("somebody said " + kind);
        }
    }
}
