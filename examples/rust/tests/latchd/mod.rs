//! A latchd of one's own for a test. Small enough to copy; needs the crate redis.

use std::process::{Child, Command, Stdio};
use std::{env, fs, process, thread, time::Duration};

pub struct Latchd {
    process: Child,
    port: u16,
}

impl Latchd {
    /// Starts on a free port, and ends when it is dropped.
    pub fn start(name: &str) -> Latchd {
        let port_file = env::temp_dir().join(format!("latchd-{}-{name}", process::id()));
        let mut process = Command::new(env::var("LATCHD").unwrap_or("latchd".into()))
            .args(["--test", "yes", "--port", "auto", "--port-file"])
            .arg(&port_file)
            .stdout(Stdio::null())
            .spawn()
            .expect("latchd can be started");
        while !port_file.exists() {
            assert!(process.try_wait().unwrap().is_none(), "latchd did not start");
            thread::sleep(Duration::from_millis(1));
        }
        let port = fs::read_to_string(&port_file).unwrap().trim().parse().unwrap();
        Latchd { process, port }
    }

    pub fn connect(&self) -> redis::Connection {
        let client = redis::Client::open(("127.0.0.1", self.port)).unwrap();
        client.get_connection().unwrap()
    }

    /// Lets time pass, at once. The clients' own timers do not notice.
    pub fn advance(&self, ms: u64) {
        redis::cmd("TEST.ADVANCE").arg(ms).exec(&mut self.connect()).unwrap();
    }

    pub fn fault(&self, words: &[&str]) {
        redis::cmd("TEST.FAULT").arg("ADD").arg(words).exec(&mut self.connect()).unwrap();
    }
}

impl Drop for Latchd {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
