package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.failover.Books;
import dev.rowlock.queue.chaos.failover.FailoverRun;
import dev.rowlock.queue.chaos.failover.Loss;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;

/**
 * {@code make rehearse-failover [RUNS=3] [LOSS=…]}: primary and standby, asynchronous and synchronous, promoted under load in each way of
 * losing a primary. Ends with 1 if a promise was broken.
 */
public final class FailoverMain {

    private FailoverMain() {}

    public static void main(String[] arguments) throws IOException {
        int runs = Integer.parseInt(ChaosMain.setting("chaos.runs", "3"));
        String wanted = ChaosMain.setting("chaos.faults", "").toUpperCase(Locale.ROOT);
        boolean held = true;
        for (Loss loss : Loss.values()) {
            for (boolean synchronous : new boolean[] {false, true}) {
                for (int run = 1; loss.name().contains(wanted) && run <= runs; run++) {
                    Books books =
                            new FailoverRun(loss, synchronous, Files.createTempDirectory("rowlock-failover-")).run();
                    boolean asPromised = books.sound()
                            && (books.complete() || !synchronous)
                            && (books.onOldPrimary() == 0 || loss == Loss.NOT_FENCED);
                    held &= asPromised;
                    System.out.printf(
                            "%n=== failover, %s, %s, run %d: %s%n%s%n",
                            loss,
                            synchronous ? "synchronous" : "asynchronous",
                            run,
                            asPromised ? "held" : "BROKEN",
                            books);
                }
            }
        }
        System.exit(held ? 0 : 1);
    }
}
