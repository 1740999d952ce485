package dev.rowlock.queue.chaos.law.node;

import dev.rowlock.queue.chaos.history.Claims;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A claim counts as a crash only after its node's row was removed: nobody takes jobs from a node that is there. */
final class CrashesOfDeadNodes implements Law {

    private static final String NAME = "only dead nodes lose jobs";

    @Override
    public Stream<Violation> broken(History history) {
        Map<Long, Long> removed =
                history.removals().stream().collect(Collectors.toMap(Removal::node, Removal::seq, Math::min));
        return Claims.of(history).byToken().values().stream()
                .filter(claim -> claim.exit() != null
                        && claim.exit().crashes() > claim.taken().crashes())
                .filter(claim -> !before(removed.get(claim.taken().node()), claim.exit()))
                .map(claim -> Violation.of(
                        NAME,
                        "%s was taken from node %d, which was there: %s",
                        claim.taken(),
                        claim.taken().node(),
                        claim.exit()));
    }

    private static boolean before(@Nullable Long removal, @Nullable Move exit) {
        return removal != null && exit != null && removal < exit.seq();
    }
}
