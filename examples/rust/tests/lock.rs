mod latchd;

use latchd::Latchd;
use std::time::Duration;

fn take(connection: &mut redis::Connection, owner: &str) -> redis::RedisResult<bool> {
    let said: Option<String> = redis::cmd("SET")
        .arg(&["job", owner, "NX", "PX", "30000"])
        .query(connection)?;
    Ok(said.is_some())
}

#[test]
fn a_lease_ends_without_waiting() {
    let latchd = Latchd::start("lease");
    let (mut alice, mut bob) = (latchd.connect(), latchd.connect());
    assert_eq!(take(&mut alice, "alice"), Ok(true));
    assert_eq!(take(&mut bob, "bob"), Ok(false));

    latchd.advance(30_001);

    assert_eq!(take(&mut bob, "bob"), Ok(true));
}

#[test]
fn an_answer_is_lost() {
    let latchd = Latchd::start("lost");
    let mut connection = latchd.connect();
    connection.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    latchd.fault(&["SET", "TIMES", "1", "DROP-REPLY"]);

    assert!(take(&mut connection, "carol").unwrap_err().is_timeout());

    // It was taken, and whoever took it does not know: trying again finds it held, by itself.
    let mut again = latchd.connect();
    assert_eq!(take(&mut again, "carol"), Ok(false));
    let owner: String = redis::cmd("GET").arg("job").query(&mut again).unwrap();
    assert_eq!(owner, "carol");
}
