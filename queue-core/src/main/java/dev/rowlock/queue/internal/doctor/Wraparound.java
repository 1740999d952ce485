package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.OldestDatabases;
import java.util.List;
import java.util.Map;

/** The server stops writing some two billion transactions after the oldest row that is not frozen. */
record Wraparound(long warning, long failure) implements Check {

    @Override
    public String code() {
        return "wraparound";
    }

    @Override
    public Look look() {
        return new OldestDatabases(warning);
    }

    @Override
    public String healthy() {
        return "No database is near the end of transaction ids.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> oldest = cases.get(0);
        return new Diagnosis(
                Long.parseLong(String.valueOf(oldest.get("age"))) >= failure ? Status.FAIL : Status.WARN,
                "The oldest row of database '%s' is %s transactions old (multixacts: %s); the server stops writing at 2.1 billion."
                        .formatted(oldest.get("database"), oldest.get("transactions"), oldest.get("multixacts")),
                new Remedy(
                        "End what holds back vacuum, if another finding names it. Then freeze old rows in that database.",
                        "VACUUM (FREEZE)",
                        false));
    }
}
