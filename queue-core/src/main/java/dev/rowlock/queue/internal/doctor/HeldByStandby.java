package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.HoldingStandbys;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** A query on a standby keeps vacuum of the primary from removing dead rows. */
record HeldByStandby(long transactions) implements Check {

    @Override
    public String code() {
        return "standby-feedback";
    }

    @Override
    public Look look() {
        return new HoldingStandbys(transactions);
    }

    @Override
    public String healthy() {
        return "No standby holds back vacuum by much.";
    }

    @Override
    public boolean needsStatistics() {
        return true;
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "The standby '%s' (address %s) holds back vacuum by %s transactions by its hot_standby_feedback."
                        .formatted(first.get("standby"), first.get("address"), first.get("holds_back")),
                new Remedy(
                        "End the long transaction on the standby, or turn hot_standby_feedback off there.",
                        null,
                        false));
    }
}
