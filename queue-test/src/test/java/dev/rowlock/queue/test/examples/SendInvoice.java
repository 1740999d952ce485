package dev.rowlock.queue.test.examples;

record SendInvoice(long orderId) {}
