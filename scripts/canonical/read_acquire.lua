-- Takes a read-write lock for reading, or prolongs it.
--
--   KEYS[1]  the writer          ARGV[1]  a token that nobody else uses
--   KEYS[2]  the readers         ARGV[2]  how long to hold it, in milliseconds
--
-- Returns 0 when the lock is yours for reading; otherwise how many milliseconds remain of the
-- writer's time (-1 when it has no end).
--
-- Guarantees: while a token reads, no other token writes. Any number may read together, each with an
-- end of its own. The token that writes may also read, and so step down from writing to reading by
-- releasing the write lock afterwards. Readers do not wait for writers that wait: a steady
-- stream of readers keeps writers out.

local writer = redis.call('GET', KEYS[1])
if writer and writer ~= ARGV[1] then
    local left = redis.call('PTTL', KEYS[1])
    return left == 0 and 1 or left
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local hold = tonumber(ARGV[2])
redis.call('ZADD', KEYS[2], now + hold, ARGV[1])
if redis.call('PTTL', KEYS[2]) < hold then
    redis.call('PEXPIRE', KEYS[2], hold + 1)
end
return 0
