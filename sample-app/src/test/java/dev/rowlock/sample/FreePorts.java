package dev.rowlock.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for processes that a test starts. */
public final class FreePorts {

    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    private FreePorts() {}

    /** Not from the range that systems give to clients: there, a client can end up connected to itself. */
    public static int next() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Taken; try another.
            }
        }
        throw new IllegalStateException("no free port from %d to %d".formatted(LOWEST, HIGHEST));
    }
}
