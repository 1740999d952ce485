package dev.rowlock.queue.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The default name of this process. */
final class NodeName {

    private NodeName() {}

    /** Host name and process id. */
    static String ofThisProcess() {
        return hostName() + "-" + ProcessHandle.current().pid();
    }

    private static String hostName() {
        // Shells and containers set it, and it spares a look-up that can take seconds.
        String environment = System.getenv("HOSTNAME");
        if (environment != null && !environment.isBlank()) {
            return environment.strip();
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
