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

/** A chore of the node in this process fails, or does not get through. No table says so: a chore is taken before it is done. */
record FailingChore(Supplier<NodeStatus> node, Duration longerThan) implements Check {

    /** A walk through all workflows that takes longer: their ends are told by then, but what was cancelled or redriven by hand waits. */
    private static final Duration FAR = Duration.ofMinutes(10);

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
        return "No chore of this process fails or is far behind.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        Map<String, String> first = cases.get(0);
        return first.containsKey("behind")
                ? new Diagnosis(
                        Status.WARN,
                        "The chore '%s' of this process is far behind: the walk that it last completed began %s ago."
                                .formatted(first.get("chore"), first.get("behind")),
                        new Remedy(
                                "It rests twenty times as long as it works. Look for what makes its statements slow, such as a transaction that holds back vacuum; its log lines name the chore if it fails.",
                                null,
                                false))
                : new Diagnosis(
                        Status.WARN,
                        "The chore '%s' of this process fails, and has not succeeded for long."
                                .formatted(first.get("chore")),
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
                    .filter(chore -> fails(chore) || farBehind(chore))
                    .map(chore -> fails(chore)
                            ? Map.of("chore", chore.name(), "since_success", String.valueOf(chore.sinceSuccess()))
                            : Map.of("chore", chore.name(), "behind", String.valueOf(chore.behind())))
                    .toList();
        }

        private static boolean farBehind(ChoreStatus chore) {
            Duration behind = chore.behind();
            return behind != null && behind.compareTo(FAR) > 0;
        }

        private boolean fails(ChoreStatus chore) {
            Duration since = chore.sinceSuccess();
            return chore.failing() && (since == null || since.compareTo(longerThan) > 0);
        }
    }
}
