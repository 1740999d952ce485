package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.record.OutcomeWriter.WriteFailure;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.UncategorizedSQLException;

class WriteFailureTest {

    /** Values, keys, checks, triggers, limits. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "21000", "22021", "22P05", "23502", "23505", "23514", "27000", "38000", "39000", "44000", "54000",
                "P0001"
            })
    void anErrorAboutTheRowConcernsItsEntry(String state) {
        assertThat(WriteFailure.of(refused(state))).isEqualTo(WriteFailure.OF_AN_ENTRY);
    }

    /** Connection, privileges, serialization, deadlock, tables, resources, read-only, stopped, the machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "08006", "25006", "28P01", "40001", "40P01", "42501", "42P01", "53100", "53200", "57014", "57P01",
                "58030", "XX000"
            })
    void anyOtherErrorOfTheServerIsForNow(String state) {
        assertThat(WriteFailure.of(refused(state))).isEqualTo(WriteFailure.FOR_NOW);
    }

    @Test
    void aMissingOrMalformedSqlStateIsForNow() {
        assertThat(WriteFailure.of(refused(null))).isEqualTo(WriteFailure.FOR_NOW);
        assertThat(WriteFailure.of(refused("22"))).isEqualTo(WriteFailure.FOR_NOW);
        assertThat(WriteFailure.sqlState(refused(null))).isEmpty();
    }

    @Test
    void aRowLockedBySomebodyElseIsRecognized() {
        assertThat(WriteFailure.of(refused("55P03"))).isEqualTo(WriteFailure.LOCKED);
    }

    @Test
    void anErrorFromOutsideTheDatabaseProvesNothingAgainstAnOutcome() {
        assertThat(WriteFailure.of(new IllegalStateException("a proxy's"))).isEqualTo(WriteFailure.FOR_NOW);
        assertThat(WriteFailure.of(new OutOfMemoryError("as in a test"))).isEqualTo(WriteFailure.FOR_NOW);
    }

    private static UncategorizedSQLException refused(String state) {
        return new UncategorizedSQLException("test", "SELECT", new SQLException("refused", state));
    }
}
