package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.NotificationQueue;
import java.util.List;
import java.util.Map;

/** A session that listens and stays in a transaction keeps the notifications of all. Commits that notify fail once the queue is full. */
record FullNotificationQueue(double warning, double failure) implements Check {

    @Override
    public String code() {
        return "notification-queue";
    }

    @Override
    public Look look() {
        return new NotificationQueue(warning);
    }

    @Override
    public String healthy() {
        return "The queue of notifications has room.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        String percent = String.valueOf(cases.get(0).get("percent"));
        return new Diagnosis(
                Double.parseDouble(percent) >= failure * 100 ? Status.FAIL : Status.WARN,
                "The queue of notifications is full to %s percent. Once it is full, commits that notify fail."
                        .formatted(percent),
                new Remedy(
                        "A session that listens is in a transaction, and keeps them. The evidence shows the oldest transactions that this role sees: end the one whose session listens.",
                        null,
                        false));
    }
}
