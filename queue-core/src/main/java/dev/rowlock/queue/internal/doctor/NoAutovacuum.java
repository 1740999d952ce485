package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.AutovacuumOff;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** Nobody removes dead rows. */
record NoAutovacuum() implements Check {

    @Override
    public String code() {
        return "autovacuum-off";
    }

    @Override
    public Look look() {
        return new AutovacuumOff();
    }

    @Override
    public String healthy() {
        return "Autovacuum is on.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return new Diagnosis(
                Status.FAIL,
                "server".equals(first.get("place"))
                        ? "Autovacuum is off on the whole server, so dead rows stay."
                        : "Autovacuum is off for table %s, so its dead rows stay.".formatted(first.get("name")),
                "server".equals(first.get("place"))
                        ? new Remedy(
                                "Turn it on, and reload the configuration.", "ALTER SYSTEM SET autovacuum = on", false)
                        : new Remedy(
                                "Let the table follow the server again.",
                                "ALTER TABLE %s RESET (autovacuum_enabled)".formatted(first.get("name")),
                                false));
    }
}
