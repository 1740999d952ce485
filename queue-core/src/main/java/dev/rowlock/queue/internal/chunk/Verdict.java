package dev.rowlock.queue.internal.chunk;

import dev.rowlock.queue.job.Outcome;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What became of the jobs of a call: outcomes, and calls to be made again. */
final class Verdict {

    private final Map<Member, Outcome> outcomes = new IdentityHashMap<>();
    private List<List<Member>> again = List.of();
    private boolean culprit;

    void end(Member member, Outcome outcome) {
        outcomes.put(member, outcome);
    }

    void endAll(List<Member> members, Function<Member, Outcome> outcome) {
        members.forEach(member -> outcomes.put(member, outcome.apply(member)));
    }

    /** Once more, all of them together. */
    void again(List<Member> members) {
        again = members.isEmpty() ? List.of() : List.of(members);
    }

    /** Each half by itself. */
    void split(List<Member> members) {
        int half = members.size() / 2;
        again = members.size() < 2
                ? List.of(members)
                : List.of(members.subList(0, half), members.subList(half, members.size()));
    }

    /** Some of the jobs are why the call failed. */
    void culprits(List<Member> members, Function<Member, Outcome> outcome) {
        culprit |= !members.isEmpty();
        endAll(members, outcome);
    }

    /** Whether the call has told which jobs were to blame. */
    boolean culprit() {
        return culprit;
    }

    Map<Member, Outcome> outcomes() {
        return outcomes;
    }

    List<List<Member>> again() {
        return again;
    }
}
