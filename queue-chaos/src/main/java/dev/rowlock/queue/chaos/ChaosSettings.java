package dev.rowlock.queue.chaos;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a run is told.
 *
 * @param seed draws load and faults; timing is not drawn, so two runs with one seed differ in detail
 * @param hurt how long faults go on
 * @param drain how long everything may take to come to rest after that
 * @param pause between two enqueues
 * @param folder for what the processes write; it stays
 * @param wanted parts of the names of faults and traits, with commas between them, to have only these; empty: all
 */
public record ChaosSettings(long seed, Duration hurt, Duration drain, Duration pause, Path folder, String wanted) {}
