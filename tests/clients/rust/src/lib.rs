//! What the tests share: a latchd of their own, and the proof that a lock excludes.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A server on a free port, which it keeps over a restart. It ends with its owner.
pub struct Latchd {
    process: Child,
    pub port: u16,
}

impl Latchd {
    pub fn start() -> Self {
        Self::start_on("auto")
    }

    fn start_on(port: &str) -> Self {
        let mut process = Command::new(env::var("LATCHD").expect("LATCHD names the program"))
            .args(["--port", port, "--die-with-parent", "yes"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("latchd starts");

        let mut port = None;
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if let Some((_, number)) = line.split_once(" port=") {
                port = number.trim_end_matches('.').parse().ok();
            }
            if line.contains("Ready to accept connections") {
                break;
            }
        }
        Latchd {
            process,
            port: port.expect("latchd says its port"),
        }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Forgets every lock and every script.
    pub fn restart(&mut self) {
        self.stop();
        *self = Self::start_on(&self.port.to_string());
    }

    pub fn stop(&mut self) {
        self.process.kill().expect("latchd can be killed");
        self.process.wait().expect("latchd ends");
    }
}

impl Drop for Latchd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Work that goes wrong when two do it at once: the counter is read on entering and written on
/// leaving, so two in here together lose a count.
#[derive(Default)]
pub struct Section {
    counter: AtomicU32,
    inside: AtomicU32,
    overlaps: AtomicU32,
}

pub struct Inside<'a> {
    section: &'a Section,
    seen: u32,
}

impl Section {
    pub fn enter(&self) -> Inside<'_> {
        if self.inside.fetch_add(1, SeqCst) > 0 {
            self.overlaps.fetch_add(1, SeqCst);
        }
        Inside {
            section: self,
            seen: self.counter.load(SeqCst),
        }
    }

    /// Nobody met anybody inside, and none of so many counts was lost.
    pub fn assert_exclusive(&self, visits: u32) {
        assert_eq!(
            self.overlaps.load(SeqCst),
            0,
            "overlapping critical sections"
        );
        assert_eq!(
            self.counter.load(SeqCst),
            visits,
            "counts, of which none may be lost"
        );
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.section.counter.store(self.seen + 1, SeqCst);
        self.section.inside.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    #[should_panic(expected = "overlapping")]
    fn without_a_lock_the_proof_fails() {
        let (section, both) = (Section::default(), Barrier::new(2));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _inside = section.enter();
                    both.wait();
                });
            }
        });
        section.assert_exclusive(2);
    }
}
