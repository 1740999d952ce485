package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.OldPreparedTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A prepared transaction that nobody ends keeps its locks, and vacuum from removing dead rows. */
record ForgottenPrepared(Duration olderThan) implements Check {

    @Override
    public String code() {
        return "prepared-transaction";
    }

    @Override
    public Look look() {
        return new OldPreparedTransactions(olderThan);
    }

    @Override
    public String healthy() {
        return "No prepared transaction has been left for long.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> oldest = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "The transaction %s was prepared at %s and has not ended, and vacuum cannot remove rows that died since."
                        .formatted(oldest.get("literal"), oldest.get("prepared")),
                new Remedy(
                        "Ask its transaction manager how it ended there: commit it, or roll it back.",
                        "ROLLBACK PREPARED " + oldest.get("literal"),
                        true));
    }
}
