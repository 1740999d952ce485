package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.upgrade.Rehearsal;
import dev.rowlock.queue.chaos.upgrade.Upgrade;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * {@code make upgrade [FROM=…] [MINUTES=…]}: from the version before to this one under load, and back. Ends with 1 if a promise was
 * broken.
 */
public final class UpgradeMain {

    /** How often the load goes on between two changes. */
    private static final int STAYS = 9;

    private UpgradeMain() {}

    public static void main(String[] arguments) throws IOException {
        String before = System.getProperty("chaos.before", "");
        if (before.isBlank()) {
            throw new IllegalArgumentException(
                    "-Dchaos.before=… is missing: the class path that scripts/previous prints");
        }
        Path folder = Files.createTempDirectory("rowlock-upgrade-");
        Duration stay = ChaosMain.length("0.5").dividedBy(STAYS);
        Rehearsal rehearsal = rehearse(folder, before, stay);
        System.out.printf("%n=== upgrade and back, logs in %s%n%s%n", folder, rehearsal);
        System.exit(rehearsal.violations().isEmpty() ? 0 : 1);
    }

    private static Rehearsal rehearse(Path folder, String before, Duration stay) {
        try (Upgrade upgrade = new Upgrade(folder, before, stay)) {
            return upgrade.run();
        }
    }
}
