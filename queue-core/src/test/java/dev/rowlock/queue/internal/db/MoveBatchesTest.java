package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.UncategorizedSQLException;

/** What some jobs cost the others of their batches. */
class MoveBatchesTest {

    private static final int MOST = 2;
    private static final String REFUSED = "42501";
    private static final String TOO_SLOW = "57014";

    private final Map<Long, String> faults = new HashMap<>();
    private final List<Long> there = new ArrayList<>();
    private final List<Long> moved = new ArrayList<>();
    private final MoveBatches batches = new MoveBatches(MOST, new RefusedJobs("of a test", Duration.ZERO));

    private void move(List<Long> ids) {
        ids.stream().filter(faults::containsKey).findFirst().ifPresent(id -> {
            throw new UncategorizedSQLException("a move", null, new SQLException("not this one", faults.get(id)));
        });
        ids.stream().filter(there::remove).forEach(moved::add);
    }

    private List<Long> first(int rows) {
        return List.copyOf(there.subList(0, Math.min(rows, there.size())));
    }

    private void moveAll() {
        batches.all(
                rows -> {
                    List<Long> some = first(rows);
                    move(some);
                    return some.size();
                },
                () -> List.copyOf(there),
                this::move);
    }

    private void moveAllButOne() {
        assertThatThrownBy(this::moveAll).isInstanceOf(UncategorizedSQLException.class); // the second try of the one
    }

    @Test
    void aJobThatIsRefusedAgainKeepsNoOtherFromMoving() {
        there.addAll(List.of(1L, 2L));
        faults.put(1L, REFUSED);
        moveAllButOne();
        there.add(3L);

        moveAllButOne();

        assertThat(moved).containsExactly(2L, 3L);
        faults.clear();
        moveAll();
        assertThat(moved).containsExactly(2L, 3L, 1L);
    }

    @Test
    void whereNoJobMovesTheFailureIsThrownAndTheNextTryHasAllOfThem() {
        there.addAll(List.of(1L, 2L));
        faults.putAll(Map.of(1L, REFUSED, 2L, REFUSED));
        assertThatThrownBy(this::moveAll).isInstanceOf(UncategorizedSQLException.class);

        faults.clear();
        moveAll();

        assertThat(moved).containsExactly(1L, 2L);
    }

    @Test
    void aJobThatTakesTooLongKeepsNoneBehindItFromMoving() {
        there.addAll(List.of(1L, 2L, 3L, 4L));
        faults.put(1L, TOO_SLOW);
        assertThatThrownBy(() -> batches.these(List.of(1L, 2L, 3L, 4L), this::move))
                .isInstanceOf(UncategorizedSQLException.class); // the batch is smaller from now on

        assertThatThrownBy(() -> batches.these(List.of(1L, 2L, 3L, 4L), this::move))
                .isInstanceOf(UncategorizedSQLException.class); // its second try, after all others

        assertThat(moved).containsExactlyInAnyOrder(2L, 3L, 4L);
    }
}
