package dev.rowlock.queue.internal.record;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Into which parts a batch is taken apart of which something cannot be written. */
final class OutcomeParts {

    private OutcomeParts() {}

    /**
     * The first time one part for each type: what the server refuses, it most often refuses of one type, and each refusal may cost a connection, for
     * HikariCP closes a connection at some SQLSTATEs. Later ever smaller parts, in another order each time, down to single
     * outcomes: for what makes the server fail only together with others, for instance because its memory runs out.
     *
     * @param time counts from 1
     */
    static Collection<List<PendingOutcome>> of(List<PendingOutcome> batch, int time) {
        List<PendingOutcome> shuffled = new ArrayList<>(batch);
        Collections.shuffle(shuffled);
        if (time == 1) {
            return shuffled.stream()
                    .collect(Collectors.groupingBy(entry -> entry.job().type()))
                    .values();
        }
        int size = Math.max(1, shuffled.size() >> Math.min(time - 1, 30));
        return IntStream.iterate(0, from -> from < shuffled.size(), from -> from + size)
                .mapToObj(from -> shuffled.subList(from, Math.min(from + size, shuffled.size())))
                .toList();
    }
}
