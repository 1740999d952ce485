package dev.rowlock.queue.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** A hundred browsers, each with a connection of its own, half of which break without a word. */
public final class LostViewers implements AutoCloseable {

    private static final int ALL = 100;
    private static final int LOST = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<Socket> sockets = new ArrayList<>();
    private final LiveFeed feed;
    private final AbstractProtocol<?> server;
    private final String level;

    /** @param level the name of the header by which they get in */
    public LostViewers(LiveFeed feed, ServletWebServerApplicationContext context, String level) {
        this.feed = feed;
        this.level = level;
        TomcatWebServer tomcat = (TomcatWebServer) context.getWebServer();
        this.server = (AbstractProtocol<?>) tomcat.getTomcat().getConnector().getProtocolHandler();
    }

    /** Neither what the feed keeps of them nor their connections stay; the others go on seeing figures. */
    public void comeAndGo() throws IOException {
        long connections = server.getConnectionCount();
        for (int i = 0; i < ALL; i++) {
            sockets.add(watch());
        }
        await().atMost(PATIENCE).until(() -> feed.viewers() == ALL);
        // Those that have let them in need a moment to leave.
        await("no thread of their own").atMost(PATIENCE).until(() -> threadsOfViewers() == 0);

        for (Socket lost : sockets.subList(0, LOST)) {
            lost.setSoLinger(true, 0);
            lost.close();
        }

        await().atMost(PATIENCE).until(() -> feed.viewers() == ALL - LOST);
        await().atMost(PATIENCE).until(() -> server.getConnectionCount() <= connections + ALL - LOST);
        for (Socket stays : sockets.subList(LOST, ALL)) {
            assertThat(nextEvent(stays)).startsWith("event: ");
        }
        close();
        await().atMost(PATIENCE)
                .until(() ->
                        nobodyLooks(feed) && threadsOfViewers() == 0 && server.getConnectionCount() <= connections);
    }

    private Socket watch() throws IOException {
        Socket socket = new Socket("localhost", server.getLocalPort());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.getOutputStream().write("""
                GET /rowlock/api/live HTTP/1.1\r
                Host: localhost\r
                %s: read_only\r
                \r
                """.formatted(level).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String nextEvent(Socket socket) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.startsWith("event: ")) {
            line = lines.readLine();
        }
        return String.valueOf(line);
    }

    /** Nobody is left, and the feed's thread has ended. */
    public static boolean nobodyLooks(LiveFeed feed) {
        return feed.viewers() == 0 && feed.rests();
    }

    /** Threads, beside those of feeds, that have classes of a feed on their stack. */
    private static long threadsOfViewers() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> !thread.getKey().getName().equals("rowlock-dashboard-live"))
                .filter(thread -> Stream.of(thread.getValue()).anyMatch(LostViewers::ofFeed))
                .count();
    }

    private static boolean ofFeed(StackTraceElement frame) {
        return Stream.of(LiveFeed.class, Rounds.class, Viewer.class)
                .anyMatch(type -> frame.getClassName().equals(type.getName())
                        || frame.getClassName().startsWith(type.getName() + "$"));
    }

    @Override
    public void close() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
