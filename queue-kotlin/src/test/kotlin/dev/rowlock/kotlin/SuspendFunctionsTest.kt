package dev.rowlock.kotlin

import dev.rowlock.queue.JobListener
import dev.rowlock.queue.JobOperations
import dev.rowlock.queue.JobSearch
import dev.rowlock.queue.chunk.ChunkJob
import dev.rowlock.queue.chunk.ChunkResult
import dev.rowlock.queue.job.DeadJob
import dev.rowlock.queue.job.DoNotRetryException
import dev.rowlock.queue.job.JobContext
import dev.rowlock.queue.job.JobState
import dev.rowlock.queue.result.JobResults
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres
import dev.rowlock.queue.test.AutoConfigureRowlock
import dev.rowlock.queue.test.AutoConfigureRowlock.Mode
import dev.rowlock.queue.test.TestJobs
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Import
import org.springframework.jdbc.core.simple.JdbcClient
import org.springframework.transaction.support.TransactionSynchronizationManager

data class Greet(val name: String)

data class Write(val number: Int, val fails: Boolean)

data class Fails(val elsewhere: Boolean)

data class Hangs(val name: String)

data class Row(val number: Int)

data class Fly(val to: String)

data class Letter(val number: Int)

class Suspending(private val jdbc: JdbcClient) {

    val ended = ConcurrentLinkedQueue<String>()
    val hangs = CountDownLatch(1)
    val cancelled = CountDownLatch(1)

    @JobListener(keepResult = true)
    suspend fun greet(greet: Greet, context: JobContext): String {
        val thread = Thread.currentThread()
        delay(20)
        check(Thread.currentThread() === thread) { "it goes on elsewhere" }
        return "hello ${greet.name}, attempt ${context.attempt()}"
    }

    @JobListener(onDead = "missed")
    suspend fun fly(fly: Fly) {
        delay(5)
        throw DoNotRetryException("no wind for ${fly.to}")
    }

    suspend fun missed(job: DeadJob, fly: Fly) {
        delay(5)
        ended.add("${fly.to}: ${job.lastError()?.message()}")
    }

    @JobListener(transactional = true)
    suspend fun write(write: Write) {
        yield()
        check(TransactionSynchronizationManager.isActualTransactionActive()) { "there is no transaction" }
        jdbc.sql("INSERT INTO note VALUES (?)").param(write.number).update()
        delay(5)
        if (write.fails) throw DoNotRetryException("as it is to")
    }

    @JobListener
    suspend fun fail(fails: Fails) {
        if (fails.elsewhere) {
            withContext(Dispatchers.Default) { throw DoNotRetryException("elsewhere") }
        }
        delay(5)
        throw DoNotRetryException("here")
    }

    @JobListener(timeout = "1s")
    suspend fun hang(hangs: Hangs) {
        try {
            this.hangs.countDown()
            awaitCancellation()
        } catch (e: CancellationException) {
            cancelled.countDown()
            throw e
        }
    }

    @JobListener(batch = "10")
    suspend fun rows(rows: List<ChunkJob<Row>>): ChunkResult {
        delay(5)
        val (bad, good) = rows.partition { it.payload().number < 0 }
        val result = ChunkResult.builder().completed(good)
        bad.forEach { result.failed(it.id(), DoNotRetryException("negative")) }
        return result.build()
    }

    @JobListener(batch = "10")
    suspend fun letters(letters: List<Letter>) {
        delay(5)
        letters.forEach { ended.add("letter ${it.number}") }
    }
}

/** A job of a suspend function ends when the function does, however often it is suspended. */
@SpringBootTest
@AutoConfigureRowlock(mode = Mode.BACKGROUND)
@AutoConfigureEmbeddedPostgres
@Import(Suspending::class)
class SuspendFunctionsTest(
    @Autowired private val queue: JobOperations,
    @Autowired private val jobs: TestJobs,
    @Autowired private val search: JobSearch,
    @Autowired private val results: JobResults,
    @Autowired private val suspending: Suspending,
    @Autowired private val jdbc: JdbcClient,
) {

    init {
        jdbc.sql("CREATE TABLE IF NOT EXISTS note (number int PRIMARY KEY)").update()
    }

    private fun state(job: Long) = search.find(job).orElseThrow().state()

    @Test
    fun anOnDeadMayBeASuspendFunction() {
        queue.enqueue(Fly("Rome"))

        jobs.awaitIdle()

        assertThat(suspending.ended).contains("Rome: no wind for Rome")
    }

    @Test
    fun theJobEndsWhenTheFunctionDoesAndItsResultIsKept() {
        val job = queue.enqueue(Greet("Ada"))

        jobs.awaitIdle()

        assertThat(state(job)).isEqualTo(JobState.COMPLETED)
        assertThat(results.await(job, Duration.ofMinutes(2), String::class.java)).isEqualTo("hello Ada, attempt 1")
    }

    @Test
    fun itsTransactionIsThatOfTheJob() {
        val good = queue.enqueue(Write(1, false))
        val bad = queue.enqueue(Write(2, true))

        jobs.awaitIdle()

        assertThat(state(good)).isEqualTo(JobState.COMPLETED)
        assertThat(state(bad)).isEqualTo(JobState.DEAD)
        assertThat(jdbc.sql("SELECT number FROM note").query(Int::class.java).list()).containsExactly(1)
    }

    @Test
    fun itFailsWithItsException() {
        val here = queue.enqueue(Fails(false))
        val elsewhere = queue.enqueue(Fails(true))

        jobs.awaitIdle()

        for ((job, message) in mapOf(here to "here", elsewhere to "elsewhere")) {
            val details = search.find(job).orElseThrow()
            assertThat(details.state()).isEqualTo(JobState.DEAD)
            assertThat(details.errors()).singleElement().satisfies({ assertThat(it.message()).isEqualTo(message) })
        }
    }

    @Test
    fun aTimeoutCancelsTheCoroutine() {
        val job = queue.enqueue(Hangs("for ever")) { it.maxRetries(0) }

        assertThat(suspending.cancelled.await(2, TimeUnit.MINUTES)).isTrue()

        jobs.awaitIdle()
        assertThat(state(job)).isEqualTo(JobState.DEAD)
    }

    @Test
    fun chunksSuspendToo() {
        val good = queue.enqueue(Row(1))
        val bad = queue.enqueue(Row(-1))
        queue.enqueue(Letter(7))

        jobs.awaitIdle()

        assertThat(state(good)).isEqualTo(JobState.COMPLETED)
        assertThat(state(bad)).isEqualTo(JobState.DEAD)
        assertThat(suspending.ended).contains("letter 7")
    }
}
