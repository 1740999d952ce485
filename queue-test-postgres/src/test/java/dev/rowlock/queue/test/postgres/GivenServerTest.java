package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GivenServerTest {

    @Test
    void changesTheDatabaseOfItsUrlAndKeepsTheRestButUserAndPassword() {
        assertThat(new GivenServer("jdbc:postgresql://a:1,b:2/x?user=u&ssl=false&password=p&tcpKeepAlive=true")
                        .jdbcUrl("y"))
                .isEqualTo("jdbc:postgresql://a:1,b:2/y?ssl=false&tcpKeepAlive=true");
        assertThat(new GivenServer("jdbc:postgresql://a:1/").jdbcUrl("y")).isEqualTo("jdbc:postgresql://a:1/y");
        assertThat(new GivenServer("jdbc:postgresql:x").jdbcUrl("y")).isEqualTo("jdbc:postgresql:y");
    }

    @Test
    void takesUserPasswordAndHomeFromItsUrl() {
        GivenServer server = new GivenServer("jdbc:postgresql://a/home?user=u&password=p");

        assertThat(server.username()).isEqualTo("u");
        assertThat(server.password()).isEqualTo("p");
        assertThat(server.homeDatabase()).isEqualTo("home");
    }

    @Test
    void refusesAUrlThatTheDriverDoesNotUnderstand() {
        assertThatThrownBy(() -> new GivenServer("jdbc:postgresql://host:port/x"))
                .hasMessageContaining("-Drowlock.test.postgres=jdbc:postgresql://host:port/x");
    }

    @Test
    void isUsedLikeAnyOtherServer() {
        try (EmbeddedServer someoneElses = EmbeddedServer.start();
                GivenServer server = new GivenServer(someoneElses.jdbcUrl("postgres") + "?user=postgres");
                TestDatabase database = server.newDatabase()) {
            assertThat(database.unpooled())
                    .satisfies(source -> source.getConnection().close());
            assertThat(server.version()).isEqualTo(someoneElses.version());
        }
    }
}
