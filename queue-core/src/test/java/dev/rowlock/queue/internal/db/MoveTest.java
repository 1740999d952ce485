package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@PostgresTest(migrated = true)
class MoveTest {

    private static final String ALL_RUNNING = "WITH taken AS (DELETE FROM rowlock.running RETURNING *)";

    private Rooms rooms;

    @BeforeEach
    void prepare(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    @ParameterizedTest
    @EnumSource
    void aRoomHasTheColumnsOfItsTable(Room room) {
        List<String> columns =
                rooms.sql("""
                        SELECT attname FROM pg_attribute
                         WHERE attrelid = ('rowlock.' || ?)::regclass AND attnum > 0 AND NOT attisdropped
                           AND attname NOT IN ('last_job', 'fingerprint', 'told') -- the table gives them their values
                        """).param(room.table()).query(String.class).list();

        assertThat(room.columns().keySet()).containsExactlyInAnyOrderElementsOf(columns);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NULL", "true", "false", "deadline < statement_timestamp()"})
    void asManyJobsComeAsGoWhateverAConditionSays(String condition) {
        rooms.fill(10, rooms.node());
        rooms.execute(
                "UPDATE rowlock.running SET deadline = CASE WHEN id % 3 = 1 THEN timestamptz '2001-01-01' WHEN id % 3 = 2 THEN timestamptz '2201-01-01' END");
        long jobs = rooms.count("running");
        rooms.execute("DELETE FROM rowlock.ready");

        long moved = rooms.number(Move.from(Room.RUNNING, "taken", ALL_RUNNING)
                .to(Room.DONE, "state = 'cancelled'")
                .when(condition)
                .orTo(Room.DEAD, "state = 'dead'")
                .when("deadline > statement_timestamp() OR " + condition)
                .orTo(Room.READY)
                .answering("SELECT count(*) FROM taken"));

        assertThat(moved).isEqualTo(jobs).isGreaterThan(5);
        assertThat(rooms.count("done") + rooms.count("dead") + rooms.count("ready"))
                .isEqualTo(jobs);
    }

    @Test
    void aJobThatComesToNoRoomIsRefused() {
        Move move = Move.from(Room.RUNNING, "taken", ALL_RUNNING).to(Room.READY).when("cancel_requested");

        assertThatThrownBy(() -> move.answering("")).hasMessageContaining("are lost");
        assertThatThrownBy(() -> move.answering("SELECT")).hasMessageContaining("are lost");
    }

    @Test
    void aJobThatComesToTwoRoomsIsRefused() {
        Move move = Move.from(Room.RUNNING, "taken", ALL_RUNNING).to(Room.READY);

        assertThatThrownBy(() -> move.to(Room.DEAD)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> move.orTo(Room.DEAD)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aColumnWithoutAValueIsRefused() {
        Move move = Move.from(Room.RUNNING, "taken", ALL_RUNNING).to(Room.DEAD);

        assertThatThrownBy(() -> move.answering("SELECT")).hasMessage("nothing says what state is in DEAD");
    }

    @Test
    void aValueForAColumnThatIsNotThereIsRefused() {
        Move move = Move.from(Room.RUNNING, "taken", ALL_RUNNING);

        assertThatThrownBy(() -> move.with("result = null")).hasMessageContaining("not each room");
        assertThatThrownBy(() -> move.to(Room.READY, "state = 'x'").answering("SELECT"))
                .hasMessage("READY has no column state");
    }
}
