package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// latchd is a server of a test's own, on a port that was free.
type latchd struct {
	t       *testing.T
	folder  string
	options []string
	addr    string
	cmd     *exec.Cmd
}

func startLatchd(t *testing.T, options ...string) *latchd {
	t.Helper()
	l := &latchd{t: t, folder: t.TempDir(), options: options}
	l.start("auto")
	t.Cleanup(l.stop)
	return l
}

func (l *latchd) start(port string) {
	l.t.Helper()
	file := filepath.Join(l.folder, "port")
	_ = os.Remove(file)
	args := append([]string{"--port", port, "--port-file", file, "--loglevel", "warning"}, l.options...)
	l.cmd = exec.Command(os.Getenv("LATCHD"), args...)
	l.cmd.Stderr = os.Stderr
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := l.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	eventually(l.t, "the port is known", func() bool {
		text, _ := os.ReadFile(file)
		l.addr = "127.0.0.1:" + strings.TrimSpace(string(text))
		return len(text) > 0
	})
}

// restart begins anew on the same port: keys and scripts are gone.
func (l *latchd) restart() {
	l.t.Helper()
	l.stop()
	l.start(l.addr[strings.LastIndex(l.addr, ":")+1:])
}

func (l *latchd) stop() {
	_ = l.cmd.Process.Kill()
	_ = l.cmd.Wait()
}

func (l *latchd) client(t *testing.T, protocol int) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: l.addr, Protocol: protocol, PoolSize: 20})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("in vain: %s", what)
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// witness watches a critical section. Its counter is read and written in two steps with a pause between
// them and has no protection against losing increments; overlaps are the visitors that found another inside.
type witness struct {
	count, inside, overlaps atomic.Int64
}

func (w *witness) visit() {
	if w.inside.Add(1) > 1 {
		w.overlaps.Add(1)
	}
	seen := w.count.Load()
	time.Sleep(100 * time.Microsecond)
	w.count.Store(seen + 1)
	w.inside.Add(-1)
}

func (w *witness) satisfied(visits int) bool {
	return w.count.Load() == int64(visits) && w.overlaps.Load() == 0
}

// contend lets workers visit under a lock, each so many rounds, and asks the witness afterwards.
func contend(t *testing.T, workers, rounds int, locked func(ctx context.Context, section func()) error) {
	t.Helper()
	var w witness
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	runTogether(t, workers, func(int) error {
		for range rounds {
			if err := locked(ctx, w.visit); err != nil {
				return err
			}
		}
		return nil
	})
	if !w.satisfied(workers * rounds) {
		t.Errorf("%d visits counted as %d, %d overlapped", workers*rounds, w.count.Load(), w.overlaps.Load())
	}
}

func runTogether(t *testing.T, n int, work func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := work(i); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestWitnessNoticesThatThereIsNoLock(t *testing.T) {
	var w witness
	runTogether(t, 8, func(int) error {
		for range 20 {
			w.visit()
		}
		return nil
	})
	if w.satisfied(8*20) || w.overlaps.Load() == 0 {
		t.Error("nobody met anybody")
	}
}
