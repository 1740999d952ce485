package dev.rowlock.sample.notification;

import dev.rowlock.queue.JobType;

/** Tell whoever waits for this import. */
@JobType(value = "send-notification", queue = "notifications", title = "import {importId}: {message}")
public record SendNotification(long importId, String message) {}
