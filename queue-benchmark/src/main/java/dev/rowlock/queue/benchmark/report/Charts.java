package dev.rowlock.queue.benchmark.report;

import java.awt.Color;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** A summary as an SVG: lines where its figures are numbered ({@code by_50_jobs_per_s}), bars where they are not. */
public final class Charts {

    private static final Pattern NUMBERED = Pattern.compile("([a-z]+)_(\\d+)_jobs_per_s");
    private static final Pattern LATENCY = Pattern.compile("(at_\\d+_)?p\\d+_ms");
    private static final int WIDTH = 900;
    private static final int HEIGHT = 500;

    private Charts() {}

    /** Writes {@code <title>.svg} into the folder and returns it. */
    public static Path write(Summary summary, String title, Path folder) {
        Map<String, TreeMap<Integer, Double>> lines = lines(summary);
        Chart<?, ?> chart = lines.isEmpty() ? bars(summary, title) : lines(lines, title, axis(summary));
        try {
            Files.createDirectories(folder);
            Path file = folder.resolve(title + ".svg");
            VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, TreeMap<Integer, Double>> lines(Summary summary) {
        Map<String, TreeMap<Integer, Double>> lines = new TreeMap<>();
        for (String peer : summary.peers()) {
            summary.each(peer, (name, spread) -> {
                Matcher matcher = NUMBERED.matcher(name);
                if (matcher.matches() && !matcher.group(1).equals("single")) {
                    lines.computeIfAbsent(peer, key -> new TreeMap<>())
                            .put(Integer.valueOf(matcher.group(2)), spread.median());
                }
            });
        }
        return lines;
    }

    private static String axis(Summary summary) {
        return summary.figures().stream()
                .map(NUMBERED::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .findFirst()
                .orElse("")
                .replace("window", "window of 15 s")
                .replace("with", "workers")
                .replace("by", "nodes");
    }

    private static XYChart lines(Map<String, TreeMap<Integer, Double>> lines, String title, String axis) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(axis)
                .yAxisTitle("jobs/s")
                .build();
        lines.forEach((peer, points) ->
                chart.addSeries(peer, new ArrayList<>(points.keySet()), new ArrayList<>(points.values())));
        style(chart);
        chart.getStyler().setYAxisMin(0.0);
        return chart;
    }

    /** Medians of rates, or where there are none, of p50 and p99 from the commit on: a maximum would dwarf them. */
    private static CategoryChart bars(Summary summary, String title) {
        boolean rates = summary.figures().stream().anyMatch(name -> name.endsWith("_per_s"));
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(rates ? "per second" : "ms")
                .build();
        List<String> peers = summary.peers();
        for (String figure : summary.figures()) {
            if (rates ? figure.endsWith("_per_s") : LATENCY.matcher(figure).matches()) {
                List<Double> values = peers.stream()
                        .map(peer -> median(summary, peer, figure))
                        .toList();
                chart.addSeries(figure, peers, values);
            }
        }
        style(chart);
        chart.getStyler().setXAxisLabelRotation(30);
        chart.getStyler().setXAxisMaxLabelCount(peers.size());
        return chart;
    }

    private static void style(Chart<? extends AxesChartStyler, ?> chart) {
        AxesChartStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setYAxisDecimalPattern("#,##0.##");
        styler.setXAxisTickMarkSpacingHint(1);
        styler.setLegendPosition(LegendPosition.OutsideS);
        styler.setLegendLayout(LegendLayout.Horizontal);
    }

    private static double median(Summary summary, String peer, String figure) {
        double[] found = {0};
        summary.each(peer, (name, spread) -> {
            if (name.equals(figure)) {
                found[0] = spread.median();
            }
        });
        return found[0];
    }
}
