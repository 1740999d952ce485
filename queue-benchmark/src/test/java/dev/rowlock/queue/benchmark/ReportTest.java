package dev.rowlock.queue.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.report.Charts;
import dev.rowlock.queue.benchmark.report.Summary;
import dev.rowlock.queue.benchmark.report.TextReport;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    @Test
    void figuresAreMediansInOneLineWithUnderscoresInPeerNames() {
        Summary summary = new Summary();
        summary.add("db-scheduler", new Figures().put("jobs_per_s", 11_000).put("p99_ms", 3.25));
        summary.add("db-scheduler", new Figures().put("jobs_per_s", 14_000).put("p99_ms", 1));
        summary.add("db-scheduler", new Figures().put("jobs_per_s", 12_000.4).put("p99_ms", 2));

        assertThat(TextReport.figures(summary)).isEqualTo("db_scheduler.jobs_per_s=12000 db_scheduler.p99_ms=2.000");
    }

    @Test
    void aFigureThatOneRunLacksIsTheMedianOfTheOthers() {
        Summary summary = new Summary();
        summary.add("pg-boss", new Figures().put("plain_us", 60));
        summary.add("pg-boss", new Figures().put("plain_us", 62).put("limited_us", 80));

        assertThat(TextReport.figures(summary)).isEqualTo("pg_boss.plain_us=61.000 pg_boss.limited_us=80.000");
    }

    @Test
    void aChartIsDrawnForRatesAndForCurves(@TempDir Path folder) {
        Summary rates = new Summary();
        rates.add("rowlock", new Figures().put("jobs_per_s", 60_000).put("server_us_per_job", 12));
        rates.add("quartz", new Figures().put("jobs_per_s", 250));
        Summary curve = new Summary();
        curve.add("rowlock", new Figures().put("by_1_jobs_per_s", 60_000).put("by_50_jobs_per_s", 55_000));

        assertThat(Charts.write(rates, "drain", folder)).isNotEmptyFile();
        assertThat(Charts.write(curve, "nodes", folder)).isNotEmptyFile();
    }

    @Test
    void theTableShowsMedianAndRangeOfEachPeer() {
        Summary summary = new Summary();
        summary.add("rowlock", new Figures().put("jobs_per_s", 60_000));
        summary.add("rowlock", new Figures().put("jobs_per_s", 70_000));
        summary.add("floor", new Figures().put("jobs_per_s", 80_000).put("extra", 1));

        assertThat(TextReport.table(summary))
                .containsSubsequence(
                        "| peer",
                        "jobs_per_s",
                        "extra",
                        "| rowlock",
                        "65,000 (60,000–70,000)",
                        "| floor",
                        "80,000",
                        "1.00");
    }
}
