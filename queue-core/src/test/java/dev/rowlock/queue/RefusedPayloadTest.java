package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Applications log what an enqueue throws: it says what refused the job, and nothing that stands in it. */
@PostgresTest(migrated = true, freshPerTest = true)
class RefusedPayloadTest {

    private final Rooms rooms;
    private final JobTemplate jobs;

    RefusedPayloadTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(
                rooms.database(), new JacksonPayloadCodec(JsonMapper.builder().build()), new RecordedWakeups());
    }

    record Payment(String card) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not on Sundays' USING DETAIL = NEW::text, ERRCODE = 'P0001",
                "not on Sundays' USING DETAIL = NEW::text, ERRCODE = '23514",
                "not on Sundays' USING DETAIL = NEW::text, ERRCODE = '44000",
                "not on Sundays' USING DETAIL = NEW::text, ERRCODE = '54000"
            })
    void whatThrowsOutAJobIsNamedWithoutItsPayload(String raised) {
        rooms.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%s'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT ON rowlock.ready FOR EACH ROW EXECUTE FUNCTION refuse();
                """.formatted(raised));

        Throwable thrown = catchThrowable(() -> jobs.enqueue(new Payment("4711-0815")));

        assertThat(Throwables.getStackTrace(thrown)).contains("not on Sundays").doesNotContain("4711-0815");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECK (payload IS NULL)", "EXCLUDE USING btree (queue WITH =)"})
    void soIsAConstraint(String constraint) {
        rooms.execute("ALTER TABLE rowlock.ready ADD CONSTRAINT ours " + constraint);

        Throwable thrown = catchThrowable(() -> {
            jobs.enqueue(new Payment("4711-0815"));
            jobs.enqueue(new Payment("4711-0815"));
        });

        assertThat(Throwables.getStackTrace(thrown)).contains("\"ours\"").doesNotContain("4711-0815");
    }
}
