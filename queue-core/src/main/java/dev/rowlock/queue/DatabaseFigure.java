package dev.rowlock.queue;

import java.time.Duration;

/**
 * What one node has measured of the database for all.
 *
 * @param name {@code horizon.transactions}, {@code transaction.age}, {@code dead.rows}, {@code table.size} or {@code notification.usage}, of which the
 *     meters {@code rowlock.database.<name>} have the units; {@code workflows}, {@code workflow.steps.moving}, {@code
 *     policy.decides} or {@code policy.held.jobs}, as the meters {@code rowlock.<name>} say
 * @param detail the table, what holds back vacuum, the state, or the queue; empty where there is only one figure
 * @param age how old the measurement is
 */
public record DatabaseFigure(String name, String detail, double value, Duration age) {}
