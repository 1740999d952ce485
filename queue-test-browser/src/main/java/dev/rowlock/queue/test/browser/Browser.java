package dev.rowlock.queue.test.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.ElementNotInteractableException;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Debian's Chromium without a screen. Keeps what its console says: tests fail on anything there. */
public final class Browser implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    /** Depths are measured each 15 seconds, and told each three. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ChromeDriver driver;
    private final String base;

    private Browser(ChromeDriver driver, String base) {
        this.driver = driver;
        this.base = base;
    }

    /** Opens a window on the dashboard at this address. */
    public static Browser start(String base) {
        // Where work lands, a browser that is missing is an error.
        assumeTrue(System.getenv("CI") != null || Files.exists(CHROMIUM), "there is no " + CHROMIUM);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--lang=en-GB",
                "--force-device-scale-factor=1");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File("/usr/bin/chromedriver"))
                .usingAnyFreePort()
                .build();
        Browser browser = new Browser(new ChromeDriver(service, options), base);
        browser.size(1400, 900);
        browser.driver.manage().timeouts().scriptTimeout(PATIENCE);
        return browser;
    }

    /** Before any page is open. */
    public Browser cookie(String name, String value) {
        driver.executeCdpCommand("Network.setCookie", Map.of("name", name, "value", value, "url", base));
        return this;
    }

    /** Before any page is open: what pages do each few seconds, such as asking for a verdict, they do ten times as often. */
    public Browser hurried() {
        driver.executeCdpCommand(
                "Page.addScriptToEvaluateOnNewDocument",
                Map.of(
                        "source",
                        "{ const usual = window.setInterval; window.setInterval = (task, millis) => usual(task, millis / 10); }"));
        return this;
    }

    public WebDriver driver() {
        return driver;
    }

    public Browser size(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
        return this;
    }

    /** As on a telephone: windows have a least width, pages have none. */
    public Browser narrow(int width) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", false));
        return this;
    }

    /** After {@link #narrow}. */
    public Browser asWideAsItsWindow() {
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        return this;
    }

    /** Opens an address below the base, and waits until the page stands. */
    public Browser open(String address) {
        driver.get(base + address);
        return settled();
    }

    /** Follows a route within the page: nothing is loaded again but its data. */
    public Browser go(String route) {
        script("location.hash = arguments[0]", "#" + route);
        return settled();
    }

    public Browser settled() {
        await(
                "the page stands",
                d -> Boolean.TRUE.equals(
                        script(
                                "const m = document.getElementById('main'); const path = location.hash.replace(/^#\\/?/, '').split('?')[0];"
                                        + "return !!m && m.dataset.page === path && !m.hasAttribute('aria-busy') && !m.textContent.includes('counting…')")));
        return this;
    }

    public void await(String what, Predicate<WebDriver> condition) {
        new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50))
                .withMessage(what)
                .ignoring(NoSuchElementException.class)
                .ignoring(StaleElementReferenceException.class)
                .ignoring(ElementNotInteractableException.class)
                .until(d -> condition.test(d));
    }

    public void awaitText(String css, String text) {
        await("'%s' in %s".formatted(text, css), d -> text(css).contains(text));
    }

    public String text(String css) {
        return String.valueOf(
                script("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join('\\n')", css));
    }

    public int count(String css) {
        return driver.findElements(By.cssSelector(css)).size();
    }

    public WebElement one(String css) {
        await(css, d -> d.findElement(By.cssSelector(css)).isDisplayed());
        return driver.findElement(By.cssSelector(css));
    }

    /** The page may be drawn anew between the look and the click. */
    public Browser click(String css) {
        await("a click on " + css, d -> {
            d.findElement(By.cssSelector(css)).click();
            return true;
        });
        return this;
    }

    public Browser clickText(String css, String text) {
        await("a click on '%s'".formatted(text), d -> {
            d.findElements(By.cssSelector(css)).stream()
                    .filter(element -> element.getText().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new NoSuchElementException(text))
                    .click();
            return true;
        });
        return this;
    }

    public Browser type(String css, CharSequence... text) {
        WebElement element = one(css);
        element.clear();
        element.sendKeys(text);
        return this;
    }

    public Browser press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
        return this;
    }

    public Browser escape() {
        return press(Keys.ESCAPE);
    }

    public @org.jspecify.annotations.Nullable Object script(String text, Object... arguments) {
        return ((JavascriptExecutor) driver).executeScript(text, arguments);
    }

    public Path screenshot(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            Path file = SCREENSHOTS.resolve(name + ".png");
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What axe-core has against the page as it stands, and what screen readers would miss. */
    @SuppressWarnings("unchecked")
    public List<String> barriers() {
        if (!Boolean.TRUE.equals(script("return typeof axe !== 'undefined'"))) {
            driver.executeScript(AxeCore.script());
        }
        Map<String, Object> result = (Map<String, Object>)
                Objects.requireNonNull(
                        driver.executeAsyncScript(
                                "const done = arguments[arguments.length - 1];"
                                        + "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
                                        + ".then(r => done({v: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + n.any.concat(n.all).map(c => c.message).join(' ')).join(' | '))}), e => done({v: [String(e)]}))"));
        return Stream.concat(
                        ((List<String>) Objects.requireNonNull(result.get("v"))).stream(),
                        SpokenPage.of(driver).barriers().stream())
                .toList();
    }

    /** Fails if the console has said anything since the last look: errors, warnings, refusals of the policy. */
    public void requireQuietConsole() {
        List<String> complaints = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            complaints.add(entry.getLevel() + " " + entry.getMessage());
        }
        assertThat(complaints).isEmpty();
    }

    /** What the console has said, for tests in which it must say something. */
    public List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
