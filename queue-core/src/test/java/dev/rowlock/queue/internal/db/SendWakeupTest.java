package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@PostgresTest(migrated = true)
class SendWakeupTest {

    private final TestDatabase test;
    private final Rooms rooms;

    SendWakeupTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @Test
    void aConnectionThatListensOnTheSchemasChannelHearsEveryMessage() throws Exception {
        try (Connection listener = test.unpooled().getConnection();
                Statement listen = listener.createStatement()) {
            listen.execute("LISTEN " + rooms.database().schema().channel());

            new SendWakeup(rooms.database()).run(List.of("mail", "print"));

            List<String> heard = new ArrayList<>();
            while (heard.size() < 2) {
                for (PGNotification each : listener.unwrap(PGConnection.class).getNotifications(10_000)) {
                    heard.add(each.getParameter());
                }
            }
            assertThat(heard).containsExactly("mail", "print");
        }
    }
}
