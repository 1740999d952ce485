package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.OldPauses;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Somebody has paused something and may have forgotten it. */
record ForgottenPause(Duration olderThan) implements Check {

    @Override
    public String code() {
        return "old-pause";
    }

    @Override
    public Look look() {
        return new OldPauses(olderThan);
    }

    @Override
    public String healthy() {
        return "Nothing has been paused for long.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> oldest = cases.get(0);
        String kind = String.valueOf(oldest.get("kind"));
        String what = kind.equals("everything") ? "Everything" : "The %s '%s'".formatted(kind, oldest.get("name"));
        return new Diagnosis(
                Status.WARN,
                "%s has been paused since %s by %s.".formatted(what, oldest.get("paused_at"), oldest.get("who")),
                new Remedy("Resume it by JobAdmin, unless somebody still needs the pause.", null, false));
    }
}
