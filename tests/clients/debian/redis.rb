# redis-rb, with minitest as Debian has it; the report is TAP.
require "minitest"
require "redis"
require "securerandom"

class LockTest < Minitest::Test
  COMPARE_AND_DELETE = <<~LUA
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0
  LUA

  def connect(**options)
    Redis.new(host: "127.0.0.1", port: ENV.fetch("REDIS_PORT"), **options)
  end

  def setup
    @redis = connect
    @redis.flushall
  end

  def lock(redis)
    token = SecureRandom.hex
    sleep 0.001 until redis.set("lock", token, nx: true, px: 5000)
    yield
    assert_equal 1, unlock(redis, token)
  end

  def unlock(redis, token)
    @sha ||= redis.script(:load, COMPARE_AND_DELETE)
    redis.evalsha(@sha, keys: ["lock"], argv: [token])
  rescue Redis::CommandError => error
    raise unless error.message.start_with?("NOSCRIPT")
    redis.eval(COMPARE_AND_DELETE, keys: ["lock"], argv: [token])
  end

  def test_set_nx_px_and_a_script_exclude
    counter = inside = overlaps = 0
    Array.new(8) do
      Thread.new(connect) do |redis|
        10.times do
          lock(redis) do
            overlaps += 1 if (inside += 1) > 1
            seen = counter
            sleep 0.001
            counter = seen + 1
            inside -= 1
          end
        end
      end
    end.each(&:join)
    assert_equal 0, overlaps
    assert_equal 80, counter
  end

  def test_a_stranger_cannot_unlock_and_a_lease_ends
    assert @redis.set("lock", "a", nx: true, px: 500)
    refute @redis.set("lock", "b", nx: true, px: 500)
    assert_equal 0, unlock(@redis, "b")
    sleep 0.51
    assert @redis.set("lock", "b", nx: true, px: 500)
  end

  def test_scripts_that_are_gone_are_found_out
    lock(@redis) { @redis.script(:flush) }
  end

  def test_a_password_and_a_database
    @redis.config(:set, "requirepass", "secret")
    error = assert_raises(Redis::CannotConnectError, Redis::CommandError) { connect(password: "wrong").ping }
    assert_match(/WRONGPASS/, error.message)
    connect(username: "default", password: "secret", db: 5).set("k", "five")
    @redis.config(:set, "requirepass", "")
    assert_nil @redis.get("k")
  end

  def test_optimistic_transactions_lose_no_update
    Array.new(4) do
      Thread.new(connect) do |redis|
        10.times do
          nil until redis.watch("n") do
            seen = redis.get("n").to_i
            redis.multi { |transaction| transaction.set("n", seen + 1) }
          end
        end
      end
    end.each(&:join)
    assert_equal "40", @redis.get("n")
  end

  def test_messages_arrive_by_pattern
    heard = nil
    subscriber = connect
    subscriber.psubscribe("lock:*") do |on|
      on.psubscribe { @redis.publish("lock:a", "free") }
      on.pmessage do |*message|
        heard = message
        subscriber.punsubscribe
      end
    end
    assert_equal %w[lock:* lock:a free], heard
  end

  def test_a_blocked_pop_is_woken_by_a_push
    popped = Thread.new(connect) { |redis| redis.blpop("signal", timeout: 5) }
    sleep 0.001 until @redis.info("clients")["blocked_clients"] == "1"
    @redis.rpush("signal", "go")
    assert_equal %w[signal go], popped.value
  end

  def test_a_scan_meets_every_key
    @redis.mset(*(1..300).flat_map { |i| ["lock:#{i}", i] })
    assert_equal 300, @redis.scan_each(match: "lock:*").to_a.uniq.size
  end
end

# One line of TAP per case, and what went wrong as comments.
class TapReporter < Minitest::AbstractReporter
  def record(result)
    puts "#{"not " unless result.passed?}ok - #{result.name.delete_prefix("test_").tr("_", " ")}"
    puts result.failures.join("\n").gsub(/^/, "# ") unless result.passed?
    @failed ||= !result.passed?
  end

  def passed? = !@failed
end

reporter = TapReporter.new
Minitest::Runnable.runnables.each { |suite| suite.run(reporter) }
exit reporter.passed?
