package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.thread.EndlessTask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for other nodes' wake-ups, on one connection outside the pool. One thread.
 *
 * <p>A connection that is silent is checked each {@link #CHECK} with a statement that must answer within
 * {@link #ANSWER}; one that does not is replaced, and everybody is woken in case something was missed.
 */
public final class NotificationListener implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);

    private static final Duration CHECK = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration RECONNECT = Duration.ofSeconds(1);

    private final DataSource direct;
    private final Schema schema;
    private final Consumer<String> messages;
    private final Runnable connectedAgain;
    private final EndlessTask listening;
    private final Thread thread;
    private volatile @Nullable Connection connection; // written by the listening thread
    private volatile boolean hearing;
    private volatile boolean closed;

    /**
     * @param messages told what is heard, on the listening thread, which hears nothing else until it returns
     * @param connectedAgain called after each connect: wake everybody, notifications may have been missed
     */
    public NotificationListener(DataSource direct, Schema schema, Consumer<String> messages, Runnable connectedAgain) {
        this.direct = direct;
        this.schema = schema;
        this.messages = messages;
        this.connectedAgain = connectedAgain;
        this.listening = new EndlessTask("rowlock-notifications", this::run);
        this.thread = listening.thread();
    }

    public void start() {
        thread.start();
    }

    /** Whether notifications arrive. */
    public boolean hearing() {
        return hearing;
    }

    /** Its thread. */
    public EndlessTask part() {
        return listening;
    }

    private void run() {
        boolean failing = false;
        while (!closed) {
            try (Connection open = direct.getConnection()) {
                connection = open;
                try {
                    listen(open);
                    failing = false;
                    connectedAgain.run();
                    hear(open.unwrap(PGConnection.class), open);
                } finally {
                    // Should it be a pool's, nobody else shall get it: it listens.
                    open.abort(Runnable::run);
                }
            } catch (SQLException | RuntimeException | Error e) {
                hearing = false;
                boolean first = !failing;
                failing = true;
                if (!closed && first) {
                    log.warn("listening for notifications failed; polling finds new jobs until it works again", e);
                }
            } finally {
                connection = null;
            }
            pause();
        }
    }

    private void listen(Connection open) throws SQLException {
        open.setAutoCommit(true);
        open.setNetworkTimeout(Runnable::run, (int) ANSWER.toMillis());
        try (Statement statement = open.createStatement()) {
            statement.execute("LISTEN \"" + schema.channel() + "\"");
            if (ownBackend(open, statement)) {
                // A session that only hears looks idle to the server, however much it hears.
                statement.execute("SET idle_session_timeout = 0");
            }
        }
        hearing = true;
    }

    /** Whether no pooler stands between, which would let the settings of this session hold for statements of others. */
    private static boolean ownBackend(Connection open, Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1) == open.unwrap(PGConnection.class).getBackendPID();
        }
    }

    private void hear(PGConnection notifications, Connection open) throws SQLException {
        while (!closed) {
            PGNotification[] heard = notifications.getNotifications((int) CHECK.toMillis());
            if (heard == null || heard.length == 0) {
                check(open);
                continue;
            }
            for (PGNotification message : heard) {
                messages.accept(message.getParameter());
            }
        }
    }

    private static void check(Connection open) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    private void pause() {
        Thread.interrupted(); // left behind by somebody's code, or a close's, which has said so by now
        if (closed) {
            return;
        }
        try {
            Thread.sleep(RECONNECT.toMillis());
        } catch (InterruptedException e) {
            log.debug("interrupted; checking for the stop", e);
        }
    }

    /** Ends the thread and its connection. Waits two seconds at most. */
    @Override
    public void close() {
        listening.end();
        closed = true;
        hearing = false;
        Connection open = connection;
        try {
            if (open != null) {
                open.abort(Runnable::run);
            }
        } catch (SQLException e) {
            log.debug("aborting the listening connection failed", e);
        }
        thread.interrupt();
        try {
            thread.join(2_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
