package com.example.shop;

public record ConfirmPurchase(long purchaseId) {}
