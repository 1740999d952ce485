package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.text.CountText;

/** What the last line of a node says: numbers only where there is something to say. */
final class StopReport {

    private StopReport() {}

    /**
     * @param interrupted handlers
     * @param unwritten outcomes: their jobs run again
     */
    static String of(int interrupted, long unwritten) {
        return (unwritten == 0 ? ", everything is written" : "")
                + (interrupted == 0 ? "" : "; " + CountText.of(interrupted, "handler") + " had to be interrupted")
                + (unwritten == 0 ? "" : "; " + CountText.of(unwritten, "outcome") + " could not be written");
    }
}
