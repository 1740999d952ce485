package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.text.CountText;

/** Text for the last log line of a node: numbers that are not zero. */
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
