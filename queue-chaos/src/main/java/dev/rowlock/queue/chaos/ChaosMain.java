package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** {@code make chaos [SEED=…] [MINUTES=…] [FAULTS=…]}: a long run. Ends with 1 if a promise was broken. */
public final class ChaosMain {

    private ChaosMain() {}

    public static void main(String[] arguments) throws IOException {
        long seed = seed();
        Duration hurt = length("30");
        ChaosRun run = new ChaosRun(new ChaosSettings(
                seed,
                hurt,
                Duration.ofMinutes(4),
                Duration.ofMillis(40),
                Files.createTempDirectory("rowlock-chaos-"),
                setting("chaos.faults", "")));
        ChaosReport report = ChaosReport.of(run.run(), run.late());
        System.out.printf("%n=== chaos, seed %d, %s, on a server with %s%n%s%n", seed, hurt, Database.drawn(), report);
        System.exit(report.passed() ? 0 : 1);
    }

    /** Also for the server, which is drawn with it. */
    static long seed() {
        String seed = setting(
                "chaos.seed", Integer.toString(ThreadLocalRandom.current().nextInt(1_000_000)));
        System.setProperty(TestSeed.PROPERTY, seed);
        return Long.parseLong(seed);
    }

    static Duration length(String otherwise) {
        return Duration.ofSeconds((long) (60 * Double.parseDouble(setting("chaos.minutes", otherwise))));
    }

    static String setting(String name, String otherwise) {
        String value = System.getProperty(name, "");
        return value.isBlank() ? otherwise : value;
    }
}
