package dev.rowlock.kotlin

import com.fasterxml.jackson.annotation.JsonSubTypes
import com.fasterxml.jackson.annotation.JsonTypeInfo
import dev.rowlock.queue.JobListener
import dev.rowlock.queue.JobOperations
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres
import dev.rowlock.queue.test.RowlockTest
import dev.rowlock.queue.test.TestJobs
import java.time.Duration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.stereotype.Component

@JvmInline
value class Tenant(val id: String)

@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
@JsonSubTypes(JsonSubTypes.Type(Card::class, name = "card"), JsonSubTypes.Type(Transfer::class, name = "transfer"))
sealed interface Payment

data class Card(val last: String) : Payment

data class Transfer(val iban: String, val text: String? = null) : Payment

data class Charge(val tenant: Tenant, val payment: Payment, val cents: Long = 100, val tags: Set<String> = emptySet())

/** Kotlin's list of an open class is one of its subclasses as well, as Java sees it. */
open class Page(val number: Int)

data object Nightly

@Component
class Keeps {

    val seen = mutableListOf<Any>()

    @JobListener
    fun charge(charge: Charge) {
        seen += charge
    }

    @JobListener(batch = "5")
    fun pages(pages: List<Page>) {
        seen.add(pages.map { it.number })
    }

    @JobListener
    fun nightly(nightly: Nightly) {
        seen += nightly
    }
}

@RowlockTest(Keeps::class)
@AutoConfigureEmbeddedPostgres
class PayloadsTest(
    @Autowired private val queue: JobOperations,
    @Autowired private val jobs: TestJobs,
    @Autowired private val keeps: Keeps,
) {

    @Test
    fun payloadsComeBackAsTheyWere() {
        val charges =
            listOf(
                Charge(Tenant("t-1"), Card("4242")),
                Charge(Tenant("t-2"), Transfer("DE02", null), 250, setOf("a", "b")),
            )
        charges.forEach { queue.enqueue(it) }

        jobs.drain().requireSuccess()

        assertThat(keeps.seen).containsAll(charges)
    }

    @Test
    fun aChunkMayBeOfAnOpenClass() {
        queue.enqueue(Page(3))

        jobs.drain().requireSuccess()

        assertThat(keeps.seen).contains(listOf(3))
    }

    @Test
    fun anObjectStaysTheOnlyOneOfItsKind() {
        queue.enqueue(Nightly)

        jobs.drain().requireSuccess()

        assertThat(keeps.seen).anySatisfy { assertThat(it).isSameAs(Nightly) }
    }

    @Test
    fun optionsAreSetInALambda() {
        queue.enqueue(Charge(Tenant("t-3"), Card("1"))) { it.queue("money").delay(Duration.ofDays(1)) }

        assertThat(jobs.drain().ran()).isZero()
        assertThat(jobs).hasEnqueued(Charge::class.java).onQueue("money").delayedBy(Duration.ofDays(1))
    }
}
