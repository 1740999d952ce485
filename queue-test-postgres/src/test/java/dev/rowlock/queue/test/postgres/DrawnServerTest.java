package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.SQLException;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DrawnServerTest {

    private static final String A_BEFORE_B = "select 'a' < 'B'";

    @Test
    void aServerGoesByTheLocaleAndTheSettingsThatWereDrawn() throws SQLException {
        DrawnServer swedish = new DrawnServer("sv-SE", Map.of("timezone", "Asia/Kathmandu"));
        try (EmbeddedServer server = EmbeddedServer.start(Map.of(), swedish);
                TestDatabase database = server.newDatabase()) {
            assumeThat(server.version()).isGreaterThanOrEqualTo(DrawnServer.FIRST_WITH_ICU);

            assertThat(Sql.run(database.unpooled(), A_BEFORE_B)).isEqualTo("t");
            assertThat(Sql.run(database.unpooled(), "select 'z' < 'å'")).isEqualTo("t");
            assertThat(Sql.run(
                            server.unpooled("postgres"),
                            "select setting from pg_file_settings where name = 'timezone' and applied"))
                    .isEqualTo("Asia/Kathmandu");
        }
    }

    @Test
    void aPlainServerOrdersTextByItsBytes() throws SQLException {
        try (EmbeddedServer server = EmbeddedServer.start(Map.of("work_mem", "5MB"), DrawnServer.PLAIN)) {
            assertThat(Sql.run(server.unpooled("postgres"), A_BEFORE_B)).isEqualTo("f");
            assertThat(Sql.run(server.unpooled("postgres"), "show work_mem")).isEqualTo("5MB");
        }
    }

    @Test
    void aSeedDrawsTheSameServerAgainAndOthersDrawOthers() {
        assertThat(DrawnServer.by(new Random(4711))).isEqualTo(DrawnServer.by(new Random(4711)));
        assertThat(IntStream.range(0, 100)
                        .mapToObj(seed -> DrawnServer.by(new Random(seed * 0x9E3779B97F4A7C15L))
                                .locale()))
                .contains("C", "en-US", "tr-TR");
        assertThat(IntStream.range(0, 100)
                        .mapToObj(seed -> DrawnServer.seldom(new Random(seed * 0x9E3779B97F4A7C15L))
                                .keySet()))
                .contains(Set.of(), Set.of("standard_conforming_strings"), Set.of("quote_all_identifiers"));
    }

    @Test
    void whatIsDrawnForOnePurposeDoesNotDependOnOthers() {
        long first = TestSeed.random("one").nextLong();

        assertThat(TestSeed.random("other").nextLong()).isNotEqualTo(first);
        assertThat(TestSeed.random("one").nextLong()).isEqualTo(first);
    }
}
