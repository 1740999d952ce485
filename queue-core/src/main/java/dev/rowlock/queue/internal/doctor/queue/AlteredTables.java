package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.MissingObjects;
import dev.rowlock.queue.schema.SchemaScript;
import java.util.List;
import java.util.Map;

/** Somebody has changed the tables by hand: an index was dropped, a column has another type. */
record AlteredTables(List<String> objects) implements Check {

    @Override
    public String code() {
        return "altered-tables";
    }

    @Override
    public Look look() {
        return new MissingObjects(SchemaScript.newestVersion(), objects);
    }

    @Override
    public String healthy() {
        return "Tables, indexes and functions are as the scripts make them.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        return new Diagnosis(
                Status.FAIL,
                "The scripts make this, and it is missing or was changed by hand: %s%s."
                        .formatted(
                                cases.get(0).get("missing"),
                                cases.size() > 1 ? ", and %d more".formatted(cases.size() - 1) : ""),
                new Remedy("Make it as the script says that SchemaScript prints.", null, false));
    }
}
