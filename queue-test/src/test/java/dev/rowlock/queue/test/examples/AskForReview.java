package dev.rowlock.queue.test.examples;

record AskForReview(long orderId) {}
