package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.MissingPartitions;
import java.util.List;
import java.util.Map;

/** Jobs that end on some day have no place. */
record MissingPartition() implements Check {

    @Override
    public String code() {
        return "missing-partition";
    }

    @Override
    public Look look() {
        return new MissingPartitions();
    }

    @Override
    public String healthy() {
        return "Table done has its partitions for today and the days to come.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        boolean taken = "t".equals(first.get("name_is_taken"));
        return new Diagnosis(
                "t".equals(first.get("today")) ? Status.FAIL : Status.WARN,
                taken
                        ? "%s is not a partition of done, so jobs that end on %s cannot be written down."
                                .formatted(first.get("partition"), first.get("day"))
                        : "Table done has no partition for %s, and no node has made it.".formatted(first.get("day")),
                taken
                        ? new Remedy("Rename the table, then make the partition.", first.get("made_by"), false)
                        : new Remedy(
                                "Make it, and read in the logs of the nodes why their chore 'partitions of done' fails.",
                                first.get("made_by"),
                                false));
    }
}
