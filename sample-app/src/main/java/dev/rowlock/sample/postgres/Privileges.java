package dev.rowlock.sample.postgres;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** PostgreSQL refuses to run as root. Where we are root, its programs run as somebody else. */
enum Privileges {
    /** We are not root. */
    OURS(List.of()),
    /** In a user namespace of its own PostgreSQL does not see that it is root. */
    HIDDEN(List.of("unshare", "-U")),
    /** Containers may forbid namespaces. Then it runs as the user nobody, who must own what it writes. */
    NOBODY(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));

    private static final int NOBODY_ID = 65534;

    private final List<String> prefix;

    Privileges(List<String> prefix) {
        this.prefix = prefix;
    }

    /** The ones that this process needs. */
    static Privileges needed() {
        boolean root = "Linux".equals(System.getProperty("os.name")) && "root".equals(System.getProperty("user.name"));
        return !root ? OURS : LinuxUtils.isUnshareAvailable() ? HIDDEN : NOBODY;
    }

    /** What command lines begin with. */
    List<String> prefix() {
        return prefix;
    }

    /** Lets the programs write a file or folder of ours. */
    void hand(Path ours) throws IOException {
        if (this == NOBODY) {
            Files.setAttribute(ours, "unix:uid", NOBODY_ID);
        }
    }
}
