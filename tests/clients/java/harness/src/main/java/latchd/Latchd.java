package latchd;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A latchd of a test class's own, on a free port.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final Latchd latchd = new Latchd();
 * }</pre>
 *
 * As an extension it runs from before the first test until after the last, and is empty when each begins. Without
 * JUnit, {@link #start} and {@link #close} do the same.
 */
public final class Latchd implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback, AutoCloseable {
    /** The program under test. */
    public static final Path PROGRAM = program();

    private final String[] options;
    private String port = "auto";
    private Process process;

    public Latchd(String... options) {
        this.options = options;
    }

    public int port() {
        return Integer.parseInt(port);
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    public Latchd start() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("latchd");
        Path portFile = directory.resolve("port");
        Path log = directory.resolve("log");
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "--die-with-parent", "yes",
                "--port", port, "--port-file", portFile.toString()));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        while (!Files.exists(portFile)) {
            if (process.waitFor(5, MILLISECONDS)) {
                throw new IOException("latchd ended: " + Files.readString(log));
            }
        }
        port = Files.readString(portFile).trim();
        return this;
    }

    /** Ends it the way a power cut would: connections break, nothing is said. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it and starts an empty one on the same port; scripts and locks are gone. */
    public void restart() throws IOException, InterruptedException {
        kill();
        start();
    }

    /** Sends a command of plain words and returns the first line of the answer. */
    public String ask(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            StringBuilder line = new StringBuilder();
            InputStream in = socket.getInputStream();
            for (int c = in.read(); c != '\r' && c != -1; c = in.read()) {
                line.append((char) c);
            }
            return line.toString();
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, SECONDS)) {
            kill();
            throw new IllegalStateException("latchd did not end when asked to");
        }
        port = "auto";
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        start();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        ask("FLUSHALL");
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        close();
    }

    private static Path program() {
        String path = System.getenv("LATCHD");
        if (path == null) {
            throw new IllegalStateException("LATCHD is not set: it names the program to test");
        }
        return Path.of(path).toAbsolutePath();
    }
}
