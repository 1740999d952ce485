package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.DonePartitions;
import java.util.List;
import java.util.Map;

/** Lists, counts and views of ended jobs lock each partition: too many, and statements fail that have nothing to do with them. */
record ManyPartitions(int most) implements Check {

    @Override
    public String code() {
        return "many-partitions";
    }

    @Override
    public Look look() {
        return new DonePartitions(most);
    }

    @Override
    public String healthy() {
        return "Table done has no more partitions than the server has locks for.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> there = cases.get(0);
        return new Diagnosis(
                Status.WARN,
                "Table done has %s partitions. Each list or view of ended jobs locks all of them with their indexes, about %s of the %s locks that the server has room for."
                        .formatted(there.get("partitions"), there.get("locks"), there.get("locks_of_server")),
                new Remedy(
                        "Drop or detach partitions that nobody needs, or raise max_locks_per_transaction (needs a restart). Rowlock itself keeps about a hundred: read why retention fails if it should have dropped the others.",
                        null,
                        false));
    }
}
