package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.Sequences;
import java.util.List;
import java.util.Map;

/** The next ids would name two jobs, and the next tokens would not fence, if nobody saw to it: who connects does, where it was noted. */
record SequenceBehind() implements Check {

    @Override
    public String code() {
        return "sequence-behind";
    }

    @Override
    public Look look() {
        return new Sequences();
    }

    @Override
    public String healthy() {
        return "Sequences stand above all numbers that they have given out.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "Sequence %s stands at %s and has given out %s: its next numbers have been used. A logical replication leaves out sequences, and so may a restore."
                        .formatted(first.get("sequence"), first.get("stands_at"), first.get("given_out")),
                new Remedy("Let all sequences move on.", first.get("moved_on_by"), false));
    }
}
