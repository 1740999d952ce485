package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.InvalidIndexes;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** An index was left half made, or was damaged. */
record BrokenIndex() implements Check {

    @Override
    public String code() {
        return "invalid-index";
    }

    @Override
    public Look look() {
        return new InvalidIndexes();
    }

    @Override
    public String healthy() {
        return "No index of the tables was left half made.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "The index %s of %s is not valid, so PostgreSQL does not use it."
                        .formatted(first.get("index"), first.get("table")),
                new Remedy("Make the index anew.", "REINDEX INDEX CONCURRENTLY " + first.get("index"), false));
    }
}
