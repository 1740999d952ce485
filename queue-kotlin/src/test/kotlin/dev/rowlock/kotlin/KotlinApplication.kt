package dev.rowlock.kotlin

import org.springframework.boot.autoconfigure.SpringBootApplication

@SpringBootApplication
class KotlinApplication
