package com.example.shop;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Checkout {

    private final PurchaseRepository purchases;
    private final JobOperations jobs;

    public Checkout(PurchaseRepository purchases, JobOperations jobs) {
        this.purchases = purchases;
        this.jobs = jobs;
    }

    /** The purchase and the job that confirms it exist together, or not at all. */
    @Transactional
    public Receipt buy(String customer, boolean paymentFails) {
        Purchase purchase = purchases.save(new Purchase(customer));
        long job = jobs.enqueue(new ConfirmPurchase(purchase.getId()));
        if (paymentFails) {
            throw new PaymentFailedException(purchase.getId(), job);
        }
        return new Receipt(purchase.getId(), job);
    }

    /** The confirmation and "done" commit together. */
    @JobListener(transactional = true)
    public void confirm(ConfirmPurchase command) {
        purchases.findById(command.purchaseId()).orElseThrow().confirm();
    }

    public record Receipt(long purchaseId, long jobId) {}

    public static class PaymentFailedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final long purchaseId;
        private final long jobId;

        PaymentFailedException(long purchaseId, long jobId) {
            super("no payment for purchase " + purchaseId);
            this.purchaseId = purchaseId;
            this.jobId = jobId;
        }

        public long purchaseId() {
            return purchaseId;
        }

        public long jobId() {
            return jobId;
        }
    }
}
