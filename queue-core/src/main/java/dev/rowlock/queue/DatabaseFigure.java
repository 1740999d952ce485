package dev.rowlock.queue;

import java.time.Duration;

/**
 * What one node has measured of the database for all.
 *
 * @param name {@code horizon.transactions}, {@code transaction.age}, {@code dead.rows}, {@code table.size} or {@code notification.usage}; the
 *     meters {@code rowlock.database.<name>} have the units
 * @param detail the table, or what holds back vacuum; empty where there is only one figure
 * @param age how old the measurement is
 */
public record DatabaseFigure(String name, String detail, double value, Duration age) {}
