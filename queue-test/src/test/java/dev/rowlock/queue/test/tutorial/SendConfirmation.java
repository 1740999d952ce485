package dev.rowlock.queue.test.tutorial;

import dev.rowlock.queue.JobType;

@JobType(value = "send-confirmation", key = "customer")
record SendConfirmation(long order, String customer) {}
