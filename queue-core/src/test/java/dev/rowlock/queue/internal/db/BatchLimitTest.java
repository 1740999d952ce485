package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

@PostgresTest
class BatchLimitTest {

    private final Database database;
    private final BatchLimit limit = new BatchLimit(1_000);

    BatchLimitTest(TestDatabase server) {
        database = new Database(server.unpooled(), new Schema("rowlock"));
    }

    @Test
    void aBatchGetsSmallerIfTheServerEndsItsStatement() {
        limit.failed(failure(connection -> {
            connection.createStatement().execute("SET statement_timeout = 50");
            return connection.createStatement().execute("SELECT pg_sleep(5)");
        }));

        assertThat(limit.rows()).isEqualTo(500);
    }

    @Test
    void aBatchGetsSmallerIfItsAnswerIsNotWaitedForAnyLonger() {
        limit.failed(failure(connection -> {
            connection.setNetworkTimeout(
                    Runnable::run, (int) Duration.ofMillis(50).toMillis());
            return connection.createStatement().execute("SELECT pg_sleep(5)");
        }));

        assertThat(limit.rows()).isEqualTo(500);
    }

    @Test
    void aBatchStaysAsItIsWhateverElseFails() {
        limit.failed(failure(connection -> connection.createStatement().execute("SELECT 1 / 0")));

        assertThat(limit.rows()).isEqualTo(1_000);
    }

    @Test
    void aBatchGrowsAgainAsLongAsItWorks() {
        for (int i = 0; i < 20; i++) {
            limit.failed(failure(connection -> {
                connection.createStatement().execute("SET statement_timeout = 1");
                return connection.createStatement().execute("SELECT pg_sleep(5)");
            }));
        }
        assertThat(limit.rows()).isEqualTo(1);

        for (int i = 0; i < 40; i++) {
            limit.worked();
        }

        assertThat(limit.rows()).isEqualTo(1_000);
    }

    private DataAccessException failure(Database.Call<Boolean> call) {
        return catchThrowableOfType(DataAccessException.class, () -> database.alone(call));
    }
}
