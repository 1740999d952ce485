package dev.rowlock.queue.internal.chunk;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.internal.attempt.Results;
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
 * What a listener said about the jobs of a call.
 *
 * @param results of those that are completed, as JSON; null for none
 * @param failed why the others failed
 * @param unstorable of these, they failed only because their results cannot be kept
 */
record Report(Map<Member, @Nullable String> results, Map<Member, Throwable> failed, Set<Member> unstorable) {

    /** All are completed, without a result. */
    static Report completed(List<Member> call) {
        Map<Member, @Nullable String> results = new IdentityHashMap<>();
        call.forEach(member -> results.put(member, null));
        return new Report(results, Map.of(), Set.of());
    }

    /** @throws IllegalStateException if it names a job that is not one of these */
    static Report of(List<Member> call, ChunkResult said, Results results) {
        if (said.allCompleted()) {
            return completed(call);
        }
        Set<Long> foreign = new HashSet<>(said.completed().keySet());
        foreign.addAll(said.failed().keySet());
        call.forEach(member -> foreign.remove(member.id()));
        if (!foreign.isEmpty()) {
            throw new IllegalStateException("the ChunkResult names jobs that are not of this chunk: "
                    + foreign.stream().limit(5).sorted().toList());
        }
        Report report = new Report(new IdentityHashMap<>(), new IdentityHashMap<>(), new HashSet<>());
        call.forEach(member -> report.note(member, said, results));
        return report;
    }

    private void note(Member member, ChunkResult said, Results encoder) {
        Throwable why = said.failed().get(member.id());
        if (why == null && !said.completed().containsKey(member.id())) {
            why = new JobNotReportedException(member.id());
        }
        if (why == null) {
            try {
                results.put(member, encoder.encode(said.completed().get(member.id())));
                return;
            } catch (PayloadException e) {
                why = e;
                unstorable.add(member);
            }
        }
        failed.put(member, why);
    }

    /** Null if it names none of these jobs, or others as well: then nobody can rely on what it does not name. */
    static @Nullable Report of(List<Member> call, ChunkFailedException said) {
        Set<Long> ids = call.stream().map(Member::id).collect(Collectors.toSet());
        if (said.failed().isEmpty() || !ids.containsAll(said.failed().keySet())) {
            return null;
        }
        Report report = new Report(new IdentityHashMap<>(), new IdentityHashMap<>(), new HashSet<>());
        for (Member member : call) {
            Throwable why = said.failed().get(member.id());
            if (why == null) {
                report.results.put(member, null);
            } else {
                report.failed.put(member, why);
            }
        }
        return report;
    }

    boolean allCompleted() {
        return failed.isEmpty();
    }

    /** Those of the call that are completed, in its order. */
    List<Member> completedOf(List<Member> call) {
        List<Member> completed = new ArrayList<>(call);
        completed.removeIf(failed::containsKey);
        return completed;
    }
}
