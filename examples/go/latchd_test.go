package example

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A latchd of one's own for a test. Small enough to copy; needs go-redis.
type latchd struct {
	t    *testing.T
	addr string
}

// It starts on a free port and ends with the test.
func startLatchd(t *testing.T, options ...string) *latchd {
	t.Helper()
	program := os.Getenv("LATCHD")
	if program == "" {
		program = "latchd"
	}
	portFile := filepath.Join(t.TempDir(), "port")
	args := []string{"--test", "yes", "--port", "auto", "--port-file", portFile}
	cmd := exec.Command(program, append(args, options...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	for range 10_000 {
		if port, err := os.ReadFile(portFile); err == nil {
			return &latchd{t, "127.0.0.1:" + strings.TrimSpace(string(port))}
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("latchd did not start")
	return nil
}

func (l *latchd) client(options redis.Options) *redis.Client {
	options.Addr = l.addr
	client := redis.NewClient(&options)
	l.t.Cleanup(func() { client.Close() })
	return client
}

func (l *latchd) do(words ...any) {
	l.t.Helper()
	if err := l.client(redis.Options{}).Do(context.Background(), words...).Err(); err != nil {
		l.t.Fatal(err)
	}
}

// Lets time pass, at once. The clients' own timers do not notice.
func (l *latchd) advance(d time.Duration) {
	l.t.Helper()
	l.do("TEST.ADVANCE", d.Milliseconds())
}

func (l *latchd) fault(words ...any) {
	l.t.Helper()
	l.do(append([]any{"TEST.FAULT", "ADD"}, words...)...)
}
