package example;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A latchd of a test class's own, empty for each test. Small enough to copy.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final Latchd latchd = new Latchd();
 * }</pre>
 */
final class Latchd implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private Process process;
    private String port;

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    /** Lets time pass, at once. The clients' own timers do not notice. */
    void advance(Duration time) throws IOException {
        ask("TEST.ADVANCE " + time.toMillis());
    }

    void fault(String words) throws IOException {
        ask("TEST.FAULT ADD " + words);
    }

    /** A command of plain words, and the first line of its answer. */
    String ask(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            StringBuilder line = new StringBuilder();
            for (int c; (c = socket.getInputStream().read()) != '\r' && c != -1; ) {
                line.append((char) c);
            }
            if (line.isEmpty() || line.charAt(0) == '-') {
                throw new IOException(command + ": " + line);
            }
            return line.toString();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        String program = System.getenv().getOrDefault("LATCHD", "latchd");
        Path portFile = Files.createTempDirectory("latchd").resolve("port");
        process = new ProcessBuilder(program, "--test", "yes", "--port", "auto", "--port-file", portFile.toString(),
                "--die-with-parent", "yes").redirectOutput(Redirect.DISCARD).start();
        while (!Files.exists(portFile)) {
            if (!process.isAlive()) {
                throw new IOException("latchd did not start");
            }
            Thread.sleep(1);
        }
        port = Files.readString(portFile).trim();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        ask("TEST.RESET");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        process.destroy();
    }
}
