package dev.rowlock.sample.price;

import dev.rowlock.queue.JobType;

/** Compare all prices with those of the last imports. */
@JobType("check-prices")
public record CheckPrices() {}
