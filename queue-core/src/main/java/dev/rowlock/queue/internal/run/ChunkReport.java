package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.spi.PayloadException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a chunk call as its listener reports it, by job.
 *
 * @param results of those that are completed, as JSON; null for none
 * @param failed why the others failed
 * @param unstorable of these, they failed only because their results cannot be kept
 */
record ChunkReport(
        Map<ChunkEntry, @Nullable String> results, Map<ChunkEntry, Throwable> failed, Set<ChunkEntry> unstorable) {

    /** All jobs are completed, without a result. */
    static ChunkReport completed(List<ChunkEntry> call) {
        Map<ChunkEntry, @Nullable String> results = new IdentityHashMap<>();
        call.forEach(entry -> results.put(entry, null));
        return new ChunkReport(results, Map.of(), Set.of());
    }

    /** @throws IllegalStateException if it names a job that is not one of these */
    static ChunkReport of(List<ChunkEntry> call, ChunkResult said, Results results) {
        if (said.allCompleted()) {
            return completed(call);
        }
        Set<Long> foreign = new HashSet<>(said.completed().keySet());
        foreign.addAll(said.failed().keySet());
        call.forEach(entry -> foreign.remove(entry.id()));
        if (!foreign.isEmpty()) {
            throw new IllegalStateException("the ChunkResult names jobs that are not of this chunk: "
                    + foreign.stream().limit(5).sorted().toList());
        }
        ChunkReport report = new ChunkReport(new IdentityHashMap<>(), new IdentityHashMap<>(), new HashSet<>());
        call.forEach(entry -> report.note(entry, said, results));
        return report;
    }

    private void note(ChunkEntry entry, ChunkResult said, Results encoder) {
        Throwable why = said.failed().get(entry.id());
        if (why == null && !said.completed().containsKey(entry.id())) {
            why = new JobNotReportedException(entry.id());
        }
        if (why == null) {
            try {
                results.put(entry, encoder.encode(said.completed().get(entry.id())));
                return;
            } catch (PayloadException e) {
                why = e;
                unstorable.add(entry);
            }
        }
        failed.put(entry, why);
    }

    /** Null if it names none of these jobs, or others as well: then the jobs that it does not name need not be completed. */
    static @Nullable ChunkReport of(List<ChunkEntry> call, ChunkFailedException said) {
        Set<Long> ids = call.stream().map(ChunkEntry::id).collect(Collectors.toSet());
        if (said.failed().isEmpty() || !ids.containsAll(said.failed().keySet())) {
            return null;
        }
        ChunkReport report = new ChunkReport(new IdentityHashMap<>(), new IdentityHashMap<>(), new HashSet<>());
        for (ChunkEntry entry : call) {
            Throwable why = said.failed().get(entry.id());
            if (why == null) {
                report.results.put(entry, null);
            } else {
                report.failed.put(entry, why);
            }
        }
        return report;
    }

    boolean allCompleted() {
        return failed.isEmpty();
    }

    /** Those of the call that are completed, in its order. */
    List<ChunkEntry> completedOf(List<ChunkEntry> call) {
        List<ChunkEntry> completed = new ArrayList<>(call);
        completed.removeIf(failed::containsKey);
        return completed;
    }
}
