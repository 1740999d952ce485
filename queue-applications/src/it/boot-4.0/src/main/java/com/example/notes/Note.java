package com.example.notes;

record Note(String text) {}
