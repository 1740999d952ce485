package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.SharedBackend;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The connection that listens for notifications goes through a pooler that gives its process of the server to others.
 *
 * @param unpooled where the connections of lease and notifications come from
 */
public record TransactionPooler(DataSource unpooled) implements Check {

    @Override
    public String code() {
        return "pooler";
    }

    @Override
    public Look look() {
        return new SharedBackend(unpooled);
    }

    @Override
    public String healthy() {
        return "No pooler stands between notifications and this process.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        return new Diagnosis(
                Status.FAIL,
                "A pooler in transaction mode stands between this process and the database: who listens through it is told nothing, so new jobs wait for the next poll.",
                new Remedy(
                        "Set rowlock.worker.direct-url to the database's own address, or rowlock.notify.enabled=false to do without notifications.",
                        null,
                        false));
    }
}
