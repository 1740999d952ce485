package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.Outcome;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a chunk call leads to: the outcomes of its jobs, and the calls to make again. */
final class ChunkOutcomes {

    private final Map<ChunkEntry, Outcome> byEntry = new IdentityHashMap<>();
    private List<List<ChunkEntry>> again = List.of();
    private boolean culprit;

    void end(ChunkEntry entry, Outcome outcome) {
        byEntry.put(entry, outcome);
    }

    void endAll(List<ChunkEntry> entries, Function<ChunkEntry, Outcome> outcome) {
        entries.forEach(entry -> byEntry.put(entry, outcome.apply(entry)));
    }

    /** Calls again with all of them together. */
    void again(List<ChunkEntry> entries) {
        again = entries.isEmpty() ? List.of() : List.of(entries);
    }

    /** Calls again with each half by itself. */
    void split(List<ChunkEntry> entries) {
        int half = entries.size() / 2;
        again = entries.size() < 2
                ? List.of(entries)
                : List.of(entries.subList(0, half), entries.subList(half, entries.size()));
    }

    /** These jobs made the call fail. */
    void culprits(List<ChunkEntry> entries, Function<ChunkEntry, Outcome> outcome) {
        culprit |= !entries.isEmpty();
        endAll(entries, outcome);
    }

    /** Whether a job is known that makes a call fail. */
    boolean culprit() {
        return culprit;
    }

    Map<ChunkEntry, Outcome> byEntry() {
        return byEntry;
    }

    List<List<ChunkEntry>> again() {
        return again;
    }
}
