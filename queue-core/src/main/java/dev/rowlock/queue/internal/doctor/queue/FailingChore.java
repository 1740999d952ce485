package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A chore of the node in this process fails. No table says so: a chore is taken before it is done. */
record FailingChore(Supplier<NodeStatus> node, Duration longerThan) implements Check {

    @Override
    public String code() {
        return "failing-chore";
    }

    @Override
    public Look look() {
        return new OwnChores(node, longerThan);
    }

    @Override
    public String healthy() {
        return "No chore of this process fails.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        return new Diagnosis(
                Status.WARN,
                "The chore '%s' of this process fails, and has not succeeded for long."
                        .formatted(cases.get(0).get("chore")),
                new Remedy("The log of this process says why: it names the chore.", null, false));
    }

    /** Looks at this process, not into the database. */
    private record OwnChores(Supplier<NodeStatus> node, Duration longerThan) implements Look {

        @Override
        public String sql() {
            return "";
        }

        @Override
        public List<Map<String, String>> run(Connection connection, Schema schema) {
            return node.get().chores().stream()
                    .filter(this::fails)
                    .map(chore -> Map.of("chore", chore.name(), "since_success", String.valueOf(chore.sinceSuccess())))
                    .toList();
        }

        private boolean fails(ChoreStatus chore) {
            Duration since = chore.sinceSuccess();
            return chore.failing() && (since == null || since.compareTo(longerThan) > 0);
        }
    }
}
