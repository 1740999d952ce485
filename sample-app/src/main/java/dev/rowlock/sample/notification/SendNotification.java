package dev.rowlock.sample.notification;

import dev.rowlock.queue.JobType;

/** Tell whoever waits for this import. */
@JobType(value = "send-notification", queue = "notifications")
public record SendNotification(long importId, String message) {}
