package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.internal.doctor.Check.Case;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The chores of the node in this process that fail, or are far behind. */
record OwnChores(Supplier<NodeStatus> node, Duration longerThan) implements Look {

    /** A walk through all workflows that takes longer: their ends are told by then, but what was cancelled or redriven by hand waits. */
    private static final Duration FAR = Duration.ofMinutes(10);

    @Override
    public String sql() {
        return "";
    }

    @Override
    public List<Case> run(Connection connection, Schema schema) {
        return node.get().chores().stream()
                .filter(chore -> fails(chore) || farBehind(chore))
                .map(chore -> fails(chore)
                        ? Map.of("chore", chore.name(), "since_success", String.valueOf(chore.sinceSuccess()))
                        : Map.of("chore", chore.name(), "behind", String.valueOf(chore.behind())))
                .map(Case::new)
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
