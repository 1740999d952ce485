package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.ClockDifference;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** The clocks of the database and of this process differ. */
record OtherClock(InstantSource clock, Duration tolerance) implements Check {

    @Override
    public String code() {
        return "clock";
    }

    @Override
    public Look look() {
        return new ClockDifference(clock, tolerance);
    }

    @Override
    public String healthy() {
        return "The clock of the database is that of this process.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        long ahead = Long.parseLong(String.valueOf(cases.get(0).get("millis_ahead")));
        return new Diagnosis(
                Status.INFO,
                "The clock of the database is %d ms %s that of this process, and jobs are due by the clock of the database."
                        .formatted(Math.abs(ahead), ahead > 0 ? "ahead of" : "behind"),
                new Remedy("Let a time service (NTP) set the clocks of both machines.", null, false));
    }
}
