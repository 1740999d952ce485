package dev.rowlock.queue.internal.node;

/** What the last line of a node says: numbers only where there is something to say. */
final class StopReport {

    private StopReport() {}

    /**
     * @param interrupted handlers
     * @param unwritten outcomes: their jobs run again
     */
    static String of(int interrupted, long unwritten) {
        return (unwritten == 0 ? ", everything is written" : "")
                + (interrupted == 0 ? "" : "; " + count(interrupted, "handler") + " had to be interrupted")
                + (unwritten == 0 ? "" : "; " + count(unwritten, "outcome") + " could not be written");
    }

    private static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
